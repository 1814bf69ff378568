"""The ready-made CI files: right by their schemas and linters, and their commands do run."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from gpuinfra.report.ci import pipeline

ROOT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
INSTALL = "gpuinfra @ git+https://git.example/gpuinfra"
AWKWARD = 'infra/$HOME "gpu" # 1'

HOOK = {
    *("id", "name", "entry", "language", "files", "exclude", "types", "types_or"),
    *("exclude_types", "always_run", "fail_fast", "verbose", "pass_filenames"),
    *("require_serial", "description", "language_version", "minimum_pre_commit_version"),
    *("args", "stages"),
}
"""The words of a hook: https://pre-commit.com/#creating-new-hooks"""

CONFIGURED = ("--config", "shop:name=two words", "--config-unknown")

Shell = Callable[..., subprocess.CompletedProcess[str]]


def read(system: str, stack: str = "infra") -> Any:
    return YAML(typ="safe").load(pipeline(system, stack, INSTALL))


def schema(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("system", "name"), [("github", "github-workflows"), ("gitlab", "gitlab-ci")]
)
def test_a_pipeline_is_valid_by_its_schema(system: str, name: str) -> None:
    jsonschema.Draft7Validator(schema(name)).validate(read(system))


def test_what_the_user_names_stays_one_value() -> None:
    github = read("github", AWKWARD)["jobs"]["check"]["env"]
    gitlab = read("gitlab", AWKWARD)["gpuinfra"]["variables"]

    assert github == {"STACK": AWKWARD, "GPUINFRA": INSTALL}
    assert gitlab["STACK"] == AWKWARD.replace("$", "$$")
    assert gitlab["GPUINFRA"] == INSTALL


BIN = Path(sys.executable).parent
TOOLS = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
ACTIONLINT = shutil.which("actionlint", path=TOOLS)


@pytest.mark.skipif(not ACTIONLINT, reason="needs actionlint: make actionlint, or on PATH")
def test_actionlint_has_nothing_to_say(tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "gpuinfra.yml").write_text(pipeline("github", "infra", INSTALL))

    done = subprocess.run(
        [str(ACTIONLINT), str(folder / "gpuinfra.yml")],
        env={**os.environ, "PATH": TOOLS},  # shellcheck looks into what it runs
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("part", ["script", "after_script"])
@pytest.mark.parametrize("of_program", [False, True])
def test_shellcheck_has_nothing_to_say_of_the_gitlab_job(part: str, of_program: bool) -> None:
    shellcheck = shutil.which("shellcheck", path=TOOLS)
    assert shellcheck
    job = YAML(typ="safe").load(pipeline("gitlab", "infra", INSTALL, of_program=of_program))
    text = "#!/bin/sh\n" + "\n".join(job["gpuinfra"][part])

    done = subprocess.run(
        [shellcheck, "--severity=info", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one stack that is fine."""
    folder = tmp_path / "repository"
    (folder / "infra").mkdir(parents=True)
    shutil.copy(ROOT / "stacks" / "quickstart" / "stack.yaml", folder / "infra")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (
        ["init", "--quiet"],
        ["add", "."],
        [*who, "commit", "--quiet", "-m", "base"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def shell(tmp_path: Path, checkout: Path) -> Shell:
    """Runs one step as a runner does, with our gpuinfra, and a pip and a gh that take notes."""
    tools = tmp_path / "bin"
    tools.mkdir()
    notes = tmp_path / "notes"
    written = {
        "gpuinfra": f'exec "{sys.executable}" -m gpuinfra.cli "$@"',
        "pip": f'echo "pip $*" >> "{notes}"',
        "gh": f'echo "gh $*" >> "{notes}"; case "$*" in *--paginate*) echo "$FOUND";; esac',
        "curl": f'echo "curl $*" >> "{notes}"; case "$*" in *per_page*) printf %s "$FOUND";; '
        '*PUT*) exit "${REFUSED:-0}";; esac',
        "python": f'exec "{sys.executable}" "$@"',
    }
    for name, text in written.items():
        tool = tools / name
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)

    def run(text: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(tools), os.environ["PATH"]])
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text],
            cwd=checkout,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def tighten(checkout: Path) -> None:
    path = checkout / "infra" / "stack.yaml"
    path.write_text(path.read_text().replace("per_hour: 8", "per_hour: 1", 1))


def notes(tmp_path: Path) -> list[str]:
    return (tmp_path / "notes").read_text().splitlines()


def test_every_command_of_the_workflow_runs(tmp_path: Path, checkout: Path, shell: Shell) -> None:
    job = read("github")["jobs"]["check"]
    install, judge, page, comment = (step for step in job["steps"] if "run" in step)
    runner = {
        **job["env"],
        "GITHUB_WORKSPACE": str(checkout),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "GITHUB_REPOSITORY": "team/infra",
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_RUN_ID": "42",
        "GITHUB_BASE_REF": "main",
        "PULL": "7",
    }

    assert shell(install["run"], **runner).returncode == 0
    fine = shell(judge["run"], **runner)
    assert (fine.returncode, fine.stderr) == (0, "")
    tighten(checkout)
    violated = shell(judge["run"], **runner)

    assert violated.returncode == 1
    assert "#### Since `origin/main`: " in (checkout / "gpuinfra.md").read_text()
    assert shell(judge["run"], **{**runner, "GITHUB_BASE_REF": ""}).returncode == 1
    assert violated.stdout.startswith("::error file=infra/stack.yaml,line=")
    assert (tmp_path / "summary").read_text().count("<!-- gpuinfra:check:") == 3
    assert shell(page["run"], **runner).returncode == 0
    for step in job["steps"]:
        for name in ("gpuinfra.sarif", "gpuinfra.md", "gpuinfra.html"):
            if f"hashFiles('{name}')" in step.get("if", ""):
                assert (checkout / name).stat().st_size

    assert shell(comment["run"], **runner, FOUND="").returncode == 0
    assert (
        (checkout / "gpuinfra.md")
        .read_text()
        .endswith(
            "\nReport: artifact gpuinfra-report of"
            " [this run](https://github.example/team/infra/actions/runs/42)\n"
        )
    )
    assert shell(comment["run"], **runner, FOUND="11").returncode == 0
    calls = notes(tmp_path)
    assert calls[0] == f"pip install --disable-pip-version-check {INSTALL}"
    assert "--method POST repos/team/infra/issues/7/comments --field body=@gpuinfra.md" in calls[2]
    assert "--method PATCH repos/team/infra/issues/comments/11 --field body=@" in calls[4]


def test_every_command_of_the_gitlab_job_runs(
    tmp_path: Path, checkout: Path, shell: Shell
) -> None:
    job = read("gitlab")["gpuinfra"]
    runner = {**job["variables"], "CI_PROJECT_DIR": str(checkout)}
    script = "\n".join(job["script"])

    assert shell(script, **runner).returncode == 0
    assert "#### Since" not in (checkout / "gpuinfra.md").read_text()
    tighten(checkout)
    base = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main"}
    assert shell(script, **runner, **base).returncode == 1
    assert "#### Since `origin/main`: " in (checkout / "gpuinfra.md").read_text()
    assert notes(tmp_path)[0].endswith(INSTALL)
    assert shell(job["after_script"][0], **runner).returncode == 0
    artifacts = job["artifacts"]
    assert artifacts["when"] == "always"
    for name in (*artifacts["paths"], artifacts["reports"]["junit"]):
        assert (checkout / name).stat().st_size
    assert 'file="infra/stack.yaml"' in (checkout / "gpuinfra.xml").read_text()


@pytest.mark.parametrize("system", ["github", "gitlab"])
@pytest.mark.parametrize(
    ("options", "words"),
    [("", []), ("--config 'shop:name=two words' --config-unknown", [*CONFIGURED])],
)
def test_check_and_report_of_a_program_have_its_configuration(
    tmp_path: Path, shell: Shell, system: str, options: str, words: list[str]
) -> None:
    text = pipeline(system, "infra", INSTALL, of_program=True, options=options)
    job = YAML(typ="safe").load(text)
    if system == "github":
        job = job["jobs"]["check"]
        scripts, variables = [step.get("run", "") for step in job["steps"]], job["env"]
    else:
        job = job["gpuinfra"]
        scripts, variables = [*job["script"], *job["after_script"]], job["variables"]
    tool = tmp_path / "bin" / "gpuinfra"
    tool.write_text(f"#!/bin/sh\nprintf '%s|' \"$@\" >> '{tmp_path / 'notes'}'\n")

    for command in ("check", "report"):
        (script,) = (text for text in scripts if f"gpuinfra {command}" in text)
        assert shell(script, **variables, GITHUB_BASE_REF="").returncode == 0
        called = (tmp_path / "notes").read_text().split("|")
        at = called.index(command)
        assert called[at + 1 : at + 3 + len(words)] == [
            *("infra", *words),
            "--output" if command == "report" or system == "gitlab" else "--format",
        ]


@pytest.mark.parametrize(
    ("present", "refused", "calls"),
    [
        ([], "0", ["--data-urlencode body@gpuinfra.md NOTES"]),
        (["another"], "0", ["--data-urlencode body@gpuinfra.md NOTES"]),
        (["another", "ours", "ours"], "0", ["--request PUT --data-urlencode BODY NOTES/12"]),
        (
            ["ours"],
            "22",
            ["--request PUT --data-urlencode BODY NOTES/11", "--data-urlencode BODY NOTES"],
        ),
    ],
)
def test_the_comment_of_a_merge_request_is_made_or_renewed(
    tmp_path: Path,
    checkout: Path,
    shell: Shell,
    present: list[str],
    refused: str,
    calls: list[str],
) -> None:
    marker = "<!-- gpuinfra:check:quickstart -->"
    (checkout / "gpuinfra.md").write_text(f"{marker}\n\n### fine\n")
    bodies = {"ours": f"{marker}\n\n### before", "another": f"why {marker}?"}
    listed = [{"id": 11 + at, "body": bodies[author]} for at, author in enumerate(present)]
    runner = {
        "CI_API_V4_URL": "https://git.example/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_JOB_URL": "https://git.example/team/infra/-/jobs/42",
        "FOUND": json.dumps(listed),
        "REFUSED": refused,
    }
    script = read("gitlab")["gpuinfra"]["after_script"][1]

    assert shell(script, **runner).returncode == 0
    assert not (tmp_path / "notes").exists()
    (checkout / "gpuinfra.html").write_text("<!doctype html>")
    done = shell(script, **runner, GPUINFRA_TOKEN="secret")

    assert (checkout / "gpuinfra.md").read_text() == (
        f"{marker}\n\n### fine\n\nReport: gpuinfra.html in the artifacts of"
        " [this job](https://git.example/team/infra/-/jobs/42/artifacts/browse)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    place = "https://git.example/api/v4/projects/3/merge_requests/7/notes"
    made = [note.partition("--output /dev/null ")[2] for note in notes(tmp_path)[1:]]
    expected = [call.replace("NOTES", place).replace("BODY", "body@gpuinfra.md") for call in calls]
    assert made == expected
    assert all("PRIVATE-TOKEN: secret" in note for note in notes(tmp_path))


def test_the_pre_commit_hook_judges_each_stack_that_changed(checkout: Path, shell: Shell) -> None:
    (hook,) = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    assert {"id", "name", "entry", "language"} <= set(hook) <= HOOK
    shutil.copytree(checkout / "infra", checkout / "other one")
    files = ["infra/stack.yaml", "other one/stack.yaml", "infra/prices.yaml"]
    entry = shlex.join([*shlex.split(hook["entry"]), *files])

    fine = shell(entry)
    tighten(checkout)
    violated = shell(entry)

    assert (fine.returncode, fine.stderr) == (0, "")
    assert fine.stdout.splitlines()[-1] == "2 sources: 2 PASS"
    assert violated.returncode == 1
    assert violated.stdout.splitlines()[-1] == "2 sources: 1 PASS, 1 FAIL, 1 error"
