import json
import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from gpuinfra.report import ci
from tests.cli.conftest import Run

INSTALL = ("--install", "./gpuinfra-0.1-py3-none-any.whl[all]")
PLACES = {"github": ".github/workflows/gpuinfra.yml", "gitlab": ".gitlab-ci.yml"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize("system", PLACES)
def test_the_pipeline_goes_to_the_root_and_judges_the_stack(
    gpuinfra: Run, repository: Path, system: str
) -> None:
    ran = gpuinfra("init", repository / "infra" / "gpu", "--ci", system, *INSTALL)

    text = (repository / PLACES[system]).read_text()
    assert ran.code == 0
    assert 'STACK: "infra/gpu" ' in text
    assert f'GPUINFRA: "{INSTALL[1]}" ' in text
    assert not re.search("@[A-Z]+@", text)
    assert (repository / "infra" / "gpu" / "stack.yaml").exists()


def test_a_stack_that_is_there_stays(gpuinfra: Run, repository: Path) -> None:
    (repository / "stack.yaml").write_text("mine")

    assert gpuinfra("init", repository, "--ci", "github", *INSTALL).code == 0
    assert (repository / "stack.yaml").read_text() == "mine"
    assert 'STACK: "."' in (repository / PLACES["github"]).read_text()


def test_a_pipeline_that_is_there_stays(gpuinfra: Run, repository: Path) -> None:
    first = gpuinfra("init", repository, "--ci", "github", *INSTALL)
    again = gpuinfra("init", repository, "--ci", "github", *INSTALL)

    assert (first.code, again.code) == (0, 2)
    assert "a pipeline already exists, and init never overwrites one" in again.err


def test_gitlab_s_own_pipeline_includes_ours(gpuinfra: Run, repository: Path) -> None:
    (repository / ".gitlab-ci.yml").write_text("mine")

    ran = gpuinfra("init", repository, "--ci", "gitlab", *INSTALL)

    assert ran.code == 0
    assert "include: [{local: .gitlab/gpuinfra.yml}]" in ran.err
    assert (repository / ".gitlab-ci.yml").read_text() == "mine"
    assert "gpuinfra check" in (repository / ".gitlab" / "gpuinfra.yml").read_text()


@pytest.mark.parametrize("system", PLACES)
def test_a_pulumi_program_gets_a_pipeline_of_its_own_and_no_stack_file(
    gpuinfra: Run, repository: Path, system: str
) -> None:
    (repository / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")

    ran = gpuinfra("init", repository, "--ci", system, *INSTALL)

    text = (repository / PLACES[system]).read_text()
    assert ran.code == 0
    assert not (repository / "stack.yaml").exists()
    assert "gpuinfra engine install" in text
    assert "requirements.txt" in text
    assert 'GPUINFRA: "./gpuinfra-0.1-py3-none-any.whl[all]" ' in text
    assert not re.search("@[A-Z]+@", text)


@pytest.mark.parametrize("system", PLACES)
@pytest.mark.parametrize(
    ("stacks", "options", "told"),
    [
        ((), "", "Pulumi.STACK.yaml: if its program needs configuration"),
        (("prod",), "", ""),
        (("prod", "dev"), "--config-of dev", "takes the configuration of dev, one of dev, prod"),
    ],
)
def test_the_configuration_of_a_program_is_in_the_pipeline_and_in_the_next_command(
    gpuinfra: Run,
    repository: Path,
    system: str,
    stacks: tuple[str, ...],
    options: str,
    told: str,
) -> None:
    (repository / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    for stack in stacks:
        (repository / f"Pulumi.{stack}.yaml").write_text("config: {aws:region: us-east-1}\n")

    ran = gpuinfra("init", repository, "--ci", system, *INSTALL)

    text = (repository / PLACES[system]).read_text()
    assert f'OPTIONS: "{options}"\n' in text
    assert 'gpuinfra check "$STACK" "$@" ' in text
    words = " ".join(ran.err.split())
    assert f"next: gpuinfra check {repository} {options}".strip() in words
    assert told in words
    assert ("OPTIONS in" in words) is bool(told)


def test_a_stack_file_beside_a_program_is_said_to_be_judged_alone(
    gpuinfra: Run, repository: Path
) -> None:
    (repository / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")

    ran = gpuinfra("init", repository, "--what", "development", "--ci", "github", *INSTALL)

    assert (repository / "stack.yaml").exists()
    assert "--program" in ran.err
    assert "OPTIONS" not in (repository / PLACES["github"]).read_text()
    assert "engine install" not in (repository / PLACES["github"]).read_text()


def test_without_a_place_that_runners_reach_it_is_asked_for_and_nothing_written(
    gpuinfra: Run, repository: Path
) -> None:
    ran = gpuinfra("init", repository, "--ci", "github")

    assert ran.code == 2
    assert "add --install 'gpuinfra[report] @ git+https://…'" in " ".join(ran.err.split())
    assert [path.name for path in repository.iterdir()] == [".git"]


def test_what_was_installed_from_git_is_installed_from_there(
    gpuinfra: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    came = {
        "url": "https://git.example.com/gpuinfra",
        "vcs_info": {"vcs": "git", "commit_id": "0a1b2c"},
    }
    monkeypatch.setattr(ci, "distribution", lambda _: Mock(read_text=lambda _: json.dumps(came)))

    ran = gpuinfra("init", repository, "--ci", "github")

    place = "gpuinfra[report] @ git+https://git.example.com/gpuinfra@0a1b2c"
    assert ran.code == 0
    assert f'GPUINFRA: "{place}" ' in (repository / PLACES["github"]).read_text()
    assert f"the pipeline installs {place}: " in " ".join(ran.err.split())


@pytest.mark.parametrize(
    "install",
    [
        "gpuinfra[report]>=0.1,<1",
        "gpuinfra[all] @ git+https://git.example.com/gpuinfra@v1",
        "git+ssh://git@git.example.com/gpuinfra.git#egg=gpuinfra[all]",
        "https://token:$TOKEN@host.example.com:8443/gpuinfra-0.1-py3-none-any.whl",
        "dist/gpuinfra-0.1.tar.gz",
        "./tools/gpuinfra[report]",
        "dist/gpuinfra",
        "gpuinfra>=1; python_version>'3.10'",
        "gpuinfra[all] ; python_version >= '3.11' and os_name not in 'nt'",
        "gpuinfra @ https://host.example.com/gpuinfra.zip ; (os_name == 'posix')",
    ],
)
def test_each_form_of_pip_is_taken(gpuinfra: Run, repository: Path, install: str) -> None:
    assert gpuinfra("init", repository, "--ci", "github", "--install", install).code == 0
    assert f'GPUINFRA: "{install}" ' in (repository / PLACES["github"]).read_text()


@pytest.mark.parametrize(
    "install",
    [
        "",
        "ftp://example.com/gpuinfra.zip",
        "git+https://",
        "git+https://git.example.com",
        "git.example.com/gpuinfra",
        "git@git.example.com:gpuinfra.git",
        "./gpuinfra.whl[all]",
        "gpuinfra[",
        "-e .",
        "-rfoo.zip",
        "-edist/gpuinfra",
        "other-0.1-py3-none-any.whl",
        "gpuinfra; python_version",
        "gpuinfra; python_version > 3.10",
        "numpy",
    ],
)
def test_what_pip_can_t_take_is_refused_and_nothing_written(
    gpuinfra: Run, repository: Path, install: str
) -> None:
    ran = gpuinfra("init", repository, "--ci", "github", "--install", install)

    assert ran.code == 2
    assert "--install is not a pip requirement for gpuinfra" in ran.err
    assert f"  value:   {install or repr('')}\n" in ran.err
    assert [path.name for path in repository.iterdir()] == [".git"]


def test_a_wheel_that_the_checkout_lacks_is_to_be_committed(
    gpuinfra: Run, repository: Path
) -> None:
    wheel, lacks = INSTALL[1].removesuffix("[all]"), "which is not in the checkout yet"
    ran = gpuinfra("init", repository, "--ci", "github", *INSTALL)
    (repository / wheel).touch()
    (repository / PLACES["github"]).unlink()
    there = gpuinfra("init", repository, "--ci", "github", *INSTALL)

    assert f"commit {wheel}, {lacks}" in " ".join(ran.err.split())
    assert lacks not in " ".join(there.err.split())


def test_a_requirement_without_a_pipeline_is_refused(gpuinfra: Run, repository: Path) -> None:
    ran = gpuinfra("init", repository, *INSTALL)

    assert ran.code == 2
    assert "--install is for a pipeline: add --ci github|gitlab" in ran.err
