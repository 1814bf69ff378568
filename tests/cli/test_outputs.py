import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gpuinfra import stackfile
from gpuinfra.cli import outputs
from tests.cli.conftest import Run

Stack = Callable[..., Path]

TIGHT = ("per_hour: 8", "per_hour: 1")


def test_several_formats_come_from_one_judgement(
    gpuinfra: Run, stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    real = stackfile.read_stack_file
    monkeypatch.setattr(
        stackfile, "read_stack_file", lambda *given: reads.append(given) or real(*given)
    )
    files = {name: tmp_path / f"out.{name}" for name in outputs.FORMATS}
    options = [part for name, file in files.items() for part in ("--output", f"{name}={file}")]

    ran = gpuinfra("check", stack(TIGHT), *options)

    assert ran.code == 1
    assert "✗ cap-per-hour" in ran.out
    assert len(reads) == 1
    assert files["table"].read_text() == ran.out
    assert json.loads(files["json"].read_text())["ok"] is False
    results = json.loads(files["sarif"].read_text())["runs"][0]["results"]
    (result,) = [result for result in results if result["level"] == "error"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("stack.yaml")
    line = (tmp_path / "stack.yaml").read_text().splitlines()[place["region"]["startLine"] - 1]
    assert "per_hour: 1" in line
    failures = ET.parse(files["junit"]).getroot().get("failures")  # noqa: S314 - our own
    assert failures == "1", "what is advised fails nothing"
    assert files["github"].read_text().startswith("::error file=")
    assert "❌" in files["markdown"].read_text()
    assert {path.name for path in tmp_path.iterdir()} == {
        "stack.yaml",
        *(file.name for file in files.values()),
    }


def test_one_format_can_be_printed_in_place_of_the_table(
    gpuinfra: Run, quickstart: Path, tmp_path: Path
) -> None:
    file = tmp_path / "out.xml"
    ran = gpuinfra("check", quickstart, "--output", "sarif=-", "--output", f"junit={file}")

    assert ran.code == 0
    assert json.loads(ran.out)["version"] == "2.1.0"
    assert file.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--output", "sarf=x.sarif"], "did you mean 'sarif'"),
        (["--output", "sarif"], "FORMAT=FILE"),
        (["--output", "a.md"], "fix:     write --output markdown=a.md"),
        (["--json", "--output", "sarif=-"], "only one format can be printed"),
        (["--output", "sarif=a", "--output", "junit=a"], "can't go to one file"),
        (["--output", "sarif=missing/a"], "the folder missing does not exist"),
    ],
)
def test_an_output_that_can_not_be_is_told_before_anything_is_judged(
    gpuinfra: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    ran = gpuinfra("check", "nowhere", *arguments)

    assert ran.code == 2
    assert words in ran.err
    assert "nowhere" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_can_not_be_written_keeps_no_other_from_it(
    gpuinfra: Run, quickstart: Path, tmp_path: Path
) -> None:
    (tmp_path / "taken").mkdir()
    options = ["--output", f"junit={tmp_path / 'taken'}", "--output", f"sarif={tmp_path / 'a'}"]

    ran = gpuinfra("check", quickstart, *options)

    assert ran.code == 2
    assert "can't be written" in ran.err
    assert json.loads((tmp_path / "a").read_text())
    assert {path.name for path in tmp_path.iterdir()} == {"taken", "a"}


def test_github_gets_annotations_and_the_summary_of_the_step(
    gpuinfra: Run, stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("earlier\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))

    ran = gpuinfra("check", stack(TIGHT), "--format", "github")

    assert ran.code == 1
    assert ran.out.startswith("::error file=stack.yaml,line=")
    assert summary.read_text().startswith("earlier\n<!-- gpuinfra:check:")
    assert gpuinfra("check", stack(TIGHT)).code == 1
    assert summary.read_text().count("<!--") == 1


@pytest.mark.parametrize(
    ("left", "there"), [(400_000, True), (6_000, True), (100, False), (0, False), (-5, False)]
)
def test_a_summary_is_never_longer_than_github_takes(
    gpuinfra: Run,
    stack: Stack,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    left: int,
    there: bool,
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("x" * (outputs.SUMMARY_LIMIT - left))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    ran = gpuinfra("check", stack(TIGHT), "--format", "github")

    assert ran.code == 1
    assert ("<!-- gpuinfra:check:" in summary.read_text()) is there
    assert ("the step summary is full: findings are omitted" in ran.err) is not there
    assert summary.stat().st_size <= max(outputs.SUMMARY_LIMIT, outputs.SUMMARY_LIMIT - left)


def test_a_device_stays_one(gpuinfra: Run, stack: Stack, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    ran = gpuinfra("check", stack(TIGHT), "--output", f"github={pipe}")

    assert ran.code == 1
    assert pipe.is_fifo()
    assert os.read(read, 9) == b"::error f"
    os.close(read)


def test_paths_are_relative_to_the_repository(
    gpuinfra: Run, stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    path = stack(TIGHT)
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "infra" / "gpu"
    inner.mkdir(parents=True)
    path.rename(inner / "stack.yaml")

    assert gpuinfra("check", inner, "--format", "github").out.startswith(
        "::error file=infra/gpu/stack.yaml,"
    )


WAIVERS = """
waivers:
  - {rule: spot-share, resource: "*", reason: agreed, owner: ml, until: 2027-03-31}
"""


def test_a_waived_finding_says_until_when_by_whom_and_why(gpuinfra: Run, stack: Stack) -> None:
    path = stack(("spot-share: {minimum: 40%}", "spot-share: {maximum: 0%}"))
    path.write_text(f"{path.read_text()}{WAIVERS}")

    table = gpuinfra("check", path, "-v", "--as-of", "2026-11-21").out
    ran = gpuinfra("check", path, "--as-of", "2026-11-21", "--json")
    (waived,) = json.loads(ran.out)["waived"]

    assert "waived until 2027-03-31 by ml: agreed" in table
    assert waived["waiver"]["reason"] == "agreed"
    assert waived["waiver"]["until"] == "2027-03-31"


DEARER = ("replicas: 1..3", "replicas: 1..2")


def test_a_comment_shows_the_difference_to_the_base(
    gpuinfra: Run, stack: Stack, quickstart: Path
) -> None:
    base = stack(DEARER)

    ran = gpuinfra("check", quickstart, "--base", base, "--format", "markdown")

    assert ran.code == 0
    assert f"#### Since `{base}`: maximum cost changes by +" in ran.out
    assert "| ~ | `chat` | " in ran.out
    assert (
        f"since {base}: maximum cost changes by +"
        in gpuinfra("check", quickstart, "--base", base).out
    )
    answer = json.loads(gpuinfra("check", quickstart, "--base", base, "--json").out)
    assert answer["comparison"]["changes"]


@pytest.fixture
def repository(stack: Stack, tmp_path: Path) -> Path:
    """A repository in which a stack was there, then broken, then mended and made dearer."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "other").write_text("x")
    commit(tmp_path, "new")
    stack(DEARER)
    commit(tmp_path, "cheap")
    (tmp_path / "stack.yaml").write_text("nonsense")
    commit(tmp_path, "broken")
    stack()
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, tag: str) -> None:
    git(folder, "add", ".")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    git(folder, *who, "commit", "--quiet", "-m", tag)
    git(folder, "tag", tag)


@pytest.mark.parametrize(
    ("base", "out", "err"),
    [
        ("cheap", "#### Since `cheap`: maximum cost changes by +", ""),
        ("new", "", "no difference in cost: the stack does not exist at new"),
        ("broken", "", "no difference in cost: the stack is invalid at broken"),
    ],
)
def test_the_base_may_be_a_revision(
    gpuinfra: Run, repository: Path, base: str, out: str, err: str
) -> None:
    ran = gpuinfra("check", repository, "--base", base, "--format", "markdown")

    assert ran.code == 0
    assert out in ran.out
    assert ("#### Since" in ran.out) is bool(out)
    assert err in ran.err


def test_a_base_that_nobody_knows_is_bad_input(gpuinfra: Run, repository: Path) -> None:
    ran = gpuinfra("check", repository, "--base", "nowhere")

    assert ran.code == 2
    assert "unknown git revision" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("cost", "nowhere", "--format", "markdown"),
        ("cost", "nowhere", "--compare", "neither", "--format=markdown"),
        ("check", "nowhere", "--format", "markdown"),
    ],
)
def test_bad_input_is_a_document_in_markdown_too(
    gpuinfra: Run, arguments: tuple[str, ...]
) -> None:
    ran = gpuinfra(*arguments)

    (title,) = (line for line in ran.out.splitlines() if line.startswith("### "))
    assert ran.code == 2
    assert "nowhere" in title
    assert ran.out.count("\n- ") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("choose", "H100:8", "--format", "markdown"),
        ("choose", "H100:8", "--gpus", "8", "--format", "markdown"),
    ],
)
def test_a_command_that_writes_no_markdown_reports_no_error_as_such(
    gpuinfra: Run, arguments: tuple[str, ...]
) -> None:
    ran = gpuinfra(*arguments)
    known = gpuinfra("cost", "--gpus", "8", "--format", "markdown")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert "### `gpuinfra cost " in known.out
