"""Programs that `gpuinfra check` refuses before any of their code runs."""

import shutil

import pytest

DAY = ("--as-of", "2026-11-21")
MARK = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
e2e = pytest.mark.e2e


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rung", "trainer=spot"), "--config gpuinfra:rung.trainer=spot"),
        (("--config", "region"), "--config takes KEY=VALUE"),
        (("--config", "=us-east-1"), "--config takes KEY=VALUE"),
        (("--config-of", "prod"), "has no configuration of that stack"),
        (("--settings", "nowhere.yaml"), "nowhere.yaml does not exist"),
        (("--stack", "nowhere.yaml"), "nowhere.yaml does not exist"),
    ],
)
def test_what_is_wrong_is_told_before_any_code_runs(options, message, gpuinfra, town):
    folder = town(MARK)
    ran = gpuinfra("check", folder, *options)

    assert ran.code == 2
    assert message in ran.err
    assert not (folder / "ran").exists()


def test_without_an_engine_there_is_a_way_out(gpuinfra, town, monkeypatch, tmp_path):
    for name in ("PATH", "PULUMI_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("GPUINFRA_PULUMI", raising=False)
    folder = town(MARK)
    ran = gpuinfra("check", folder)

    assert ran.code == 3
    assert "gpuinfra engine install" in ran.err
    assert not (folder / "ran").exists()


@e2e
def test_a_core_installation_says_what_it_lacks(gpuinfra, town, monkeypatch):
    monkeypatch.setattr("gpuinfra.engine.program_preview.find_spec", lambda _: None)
    folder = town(MARK)
    ran = gpuinfra("check", folder)

    assert ran.code == 3
    assert "pip install 'gpuinfra[sandbox]'" in ran.err
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("option", ["--config=a=b", "--config-of=prod"])
def test_a_stack_file_has_no_configuration(option, gpuinfra, quickstart):
    ran = gpuinfra("check", quickstart, option)

    assert ran.code == 2
    name = option.partition("=")[0]
    assert f"{name} applies to a program, and {quickstart} is not one\n" in ran.err


def test_a_folder_without_a_project_is_no_program(gpuinfra, tmp_path):
    ran = gpuinfra("check", tmp_path, "--program")

    assert ran.code == 2
    assert "is not a Pulumi program: it has no Pulumi.yaml" in ran.err


def test_a_stack_file_beside_a_program_is_what_is_judged(gpuinfra, town, quickstart):
    folder = town(MARK)
    shutil.copy(quickstart / "stack.yaml", folder)
    ran = gpuinfra("check", folder, *DAY)

    assert ran.code == 0
    assert not (folder / "ran").exists()


def test_the_project_s_own_file_names_its_program(gpuinfra, town, quickstart):
    folder = town(project="name: town\nruntime: go\n")
    shutil.copy(quickstart / "stack.yaml", folder)
    ran = gpuinfra("check", folder / "Pulumi.yaml")

    assert ran.code == 2
    assert "is a program in go" in ran.err


@pytest.mark.parametrize("verb", ["lock"])
def test_other_commands_say_that_check_takes_a_program(verb, gpuinfra, town):
    folder = town(MARK)
    ran = gpuinfra(verb, folder)

    assert ran.code == 2
    assert f"run `gpuinfra check {folder}` for a Pulumi program; " in ran.err
