import json
import sys
from pathlib import Path

import pytest

from gpuinfra.engine.program_preview import interpreter, project


def town(folder, options):
    runtime = json.dumps({"name": "python", "options": options})
    (folder / "Pulumi.yaml").write_text(f"name: town\nruntime: {runtime}\n")
    (folder / "__main__.py").write_text("")
    return project.read_project(folder)


def environment(folder):
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / "lib" / "python3.9" / "site-packages").mkdir(parents=True)


def test_without_an_environment_it_is_ours(tmp_path):
    python = interpreter.find(town(tmp_path, {}))

    assert (python.path, python.is_own) == (Path(sys.executable), True)
    assert python.note == (
        "run by gpuinfra's own Python and packages: Pulumi.yaml names no virtual environment"
    )
    assert Path(json.__file__).parents[1] in interpreter.packages_of(python)


def test_uv_keeps_the_environment_of_a_workspace_beside_its_lock(tmp_path):
    environment(tmp_path / ".venv")
    (tmp_path / "uv.lock").touch()
    member = tmp_path / "projects" / "town"
    member.mkdir(parents=True)
    (member / "pyproject.toml").touch()

    python = interpreter.find(town(member, {"toolchain": "uv"}))

    assert (python.path, python.is_own) == (tmp_path / ".venv" / "bin" / "python", False)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"virtualenv": "venv"}, "venv"),
        ({"toolchain": "uv"}, ".venv"),
        ({"toolchain": "uv", "virtualenv": "other"}, "other"),
    ],
)
def test_the_programs_own_environment_is_honoured(options, name, tmp_path):
    environment(tmp_path / name)

    python = interpreter.find(town(tmp_path, options))

    assert (python.path, python.is_own) == (tmp_path / name / "bin" / "python", False)
    assert python.note == f"run by the Python of {name}"
    place = tmp_path / name / "lib" / "python3.9" / "site-packages"
    assert interpreter.packages_of(python) == (place,)


def test_an_environment_that_is_not_there_is_told(tmp_path):
    python = interpreter.find(town(tmp_path, {"virtualenv": "venv"}))

    assert (python.path, python.is_own) == (Path(sys.executable), True)
    assert "the virtual environment venv, which Pulumi.yaml names, does not exist" in python.note


def test_installed_packages_are_found_by_their_sdks(tmp_path):
    for name, text in {
        "pulumi_random": '{"resource": true, "name": "random", "version": "4.18.0"}',
        "pulumi_docker": '{"resource": true, "name": "docker"}',
        "pulumi_broken": "{",
        "pulumi_odd": '["odd"]',
        "pulumi_wicked": '{"name": "../../wicked"}',
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "pulumi-plugin.json").write_text(text)

    assert interpreter.installed_sdks([tmp_path, tmp_path / "none"]) == {
        "pulumi-python": "0.0.0",
        "random": "4.18.0",
        "docker": "0.0.0",
    }


def test_a_program_that_names_no_environment_runs_in_the_active_one(tmp_path, monkeypatch):
    python = tmp_path / "active" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    chosen = interpreter.find(town(tmp_path, {}))

    assert (chosen.path, chosen.is_own) == (python, False)
    assert "active environment" in chosen.note


def test_the_active_environment_stands_in_for_one_that_is_not_there(tmp_path, monkeypatch):
    active = tmp_path / "active"
    environment(active)
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    program = town(tmp_path, {"virtualenv": "venv"})

    assert interpreter.find(program).is_own

    (active / "lib" / "python3.9" / "site-packages" / "pulumi").mkdir()
    chosen = interpreter.find(program)

    assert chosen.path == active / "bin" / "python"
    assert chosen.note == (
        f"run by the Python of the active environment {active}: the virtual environment venv, "
        "which Pulumi.yaml names, does not exist"
    )
