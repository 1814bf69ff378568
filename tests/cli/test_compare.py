"""`gpuinfra cost --compare` and `--diff`: what changed in money, also for a pull request."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.cli.revision import checked_out
from gpuinfra.errors import InputError
from tests.cli.conftest import Run
from tests.cli.documents import documented

Stack = Callable[..., Path]
MORE = ("nodes: 2", "nodes: 3")

BUDGET = (
    "per_hour: 8, per_run: 20, per_month: 6000",
    "per_hour: 80, per_run: 30, per_month: 60000",
)

MORE_MACHINES = r"~ +trainer +spot g6\.8xlarge in us-east-1 +2 × \$1\.50 +3 × \$1\.50"


@pytest.fixture
def repository(tmp_path: Path, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work tree whose one commit has the quickstart's stack file."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    path = stack()
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", path.name)
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    git(tmp_path, *who, "commit", "--quiet", "--message=first")
    return path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_a_file_has_no_change_against_itself(gpuinfra: Run, quickstart: Path) -> None:
    ran = gpuinfra("cost", "--compare", quickstart, quickstart)

    assert ran.code == 0
    assert "quickstart: no change in cost" in ran.out


def test_two_files_differ_by_workload_and_with_detail_line_by_line(
    gpuinfra: Run, stack: Stack, quickstart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    named = ("cost", "--compare", quickstart, stack(MORE, BUDGET))
    ran = gpuinfra(*named)
    full = gpuinfra(*named, "--detail")

    assert ran.code == 0
    assert re.search(r"^trainer +\$3\.09 → \$4\.61 \(\+\$1\.52\) ", ran.out, re.MULTILINE)
    assert re.search(r"^total +\$5\.65 → \$7\.17 \(\+\$1\.52\) ", ran.out, re.MULTILINE)
    assert "$16.28 → $24.42 per run (-v)" in " ".join(ran.out.split())
    assert "g6.8xlarge" not in ran.out
    assert re.search(MORE_MACHINES, full.out)
    assert re.search(r"per run +\$16\.28 +\$24\.42 +\+\$8\.14", full.out)


def test_a_table_without_fallbacks_says_that_the_maximum_has_them(
    gpuinfra: Run, stack: Stack, quickstart: Path
) -> None:
    same = ("capacity: [spot, on-demand]", "capacity: on-demand")
    no_maximum = ("max_price: 1.50", "")
    fallbacks = gpuinfra("cost", "--compare", quickstart, stack(MORE, BUDGET))
    before = stack(same, no_maximum)
    (before.parent / "before.yaml").write_text(before.read_text())
    after = stack(same, no_maximum, MORE)
    alone = gpuinfra("cost", "--compare", before.parent / "before.yaml", after)

    assert "as planned; the maximum below also counts fallbacks" in fallbacks.out
    assert "maximum cost with fallbacks: $" in fallbacks.out
    assert "\nmaximum cost: $" in alone.out
    assert "fallbacks" not in alone.out


def test_json_has_each_change_and_its_sum(gpuinfra: Run, stack: Stack, quickstart: Path) -> None:
    ran = gpuinfra("cost", "--compare", quickstart, stack(MORE, BUDGET), "--json")
    comparison = json.loads(ran.out)["comparison"]

    assert {change["sign"] for change in comparison["changes"]} == {"~"}
    (hour,) = (total for total in comparison["totals"] if total["span"] == "hour")
    assert sum(change["per_hour"] for change in comparison["changes"]) == pytest.approx(
        hour["standing"]
    )


def test_markdown_is_a_table_below_a_marker_that_stays(
    gpuinfra: Run, stack: Stack, quickstart: Path
) -> None:
    ran = gpuinfra("cost", "--compare", quickstart, stack(MORE, BUDGET), "--format", "markdown")
    lines = ran.out.splitlines()

    assert lines[0] == "<!-- gpuinfra:cost:quickstart -->"
    assert lines[2].startswith("### `quickstart`: maximum cost changes by +")
    assert "| per run | $16.28 | $24.42 | +$8.14 | $12.16 | $18.25 | +$6.09 |" in lines
    row = "| ~ | `trainer` | `spot g6.8xlarge in us-east-1` | `2 × $1.50` | `3 × $1.50` |"
    assert any(line.startswith(row) for line in lines)
    same = gpuinfra("cost", "--compare", quickstart, quickstart, "--format", "markdown")
    assert same.out.splitlines()[0] == lines[0]


def test_a_worse_file_is_refused_after_it_is_shown(
    gpuinfra: Run, stack: Stack, quickstart: Path
) -> None:
    old = stack(("where:", "prices: {outdated_after_days: 30}\nwhere:"))
    ran = gpuinfra("cost", "--compare", quickstart, old)

    assert ran.code == 1
    assert "no change in cost" in ran.out
    assert "outdated: " in ran.err


def test_a_revision_is_read_with_git(gpuinfra: Run, repository: Path, stack: Stack) -> None:
    stack(MORE, BUDGET)

    for revision in ("HEAD", "main"):
        ran = gpuinfra("cost", repository, "--diff", revision)
        assert ran.code == 0
        assert "+$8.14 per run" in ran.out
    assert "+$8.14 per run" in gpuinfra("cost", repository.parent, "--diff", "HEAD").out


def test_what_lay_beside_the_file_is_read_too(
    gpuinfra: Run, repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "prices.yaml").write_text("nonsense: true\n")
    git(tmp_path, "add", "prices.yaml")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@e.com", "commit", "-qm", "second")
    (tmp_path / "prices.yaml").unlink()
    ran = gpuinfra("cost", repository, "--diff", "HEAD")

    assert ran.code == 2
    assert "HEAD:prices.yaml:1:1" in ran.err
    assert "nonsense" in ran.err


def test_a_fault_of_then_is_placed_in_the_revision(
    gpuinfra: Run, repository: Path, tmp_path: Path
) -> None:
    good = repository.read_text()
    repository.write_text(good.replace("nodes: 2", "nodes: none"))
    git(tmp_path, "add", "stack.yaml")
    git(tmp_path, "-c", "user.name=t", "-c", "user.email=t@e.com", "commit", "-qm", "second")
    repository.write_text(good)
    ran = gpuinfra("cost", repository, "--diff", "HEAD")

    assert ran.code == 2
    assert re.search(r"HEAD:stack\.yaml:\d+:\d+", ran.err)
    assert str(tmp_path) not in ran.err


@pytest.mark.parametrize(
    ("revision", "words"),
    [
        ("nope", "unknown git revision"),
        ("HEAD:stack.yaml", "unknown git revision"),
        ("", "no gpuinfra.lock to compare with"),
    ],
)
def test_what_can_not_be_compared_with_is_said(
    gpuinfra: Run, repository: Path, revision: str, words: str
) -> None:
    ran = gpuinfra("cost", repository, f"--diff={revision}")

    assert ran.code == 2
    assert words in ran.err


def test_no_revision_is_an_option_of_git(repository: Path) -> None:
    with pytest.raises(InputError, match="unknown git revision"), checked_out(repository, "--all"):
        pass


def test_a_file_that_was_not_there_yet_is_said(
    gpuinfra: Run, repository: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(repository.read_text())
    ran = gpuinfra("cost", other, "--diff", "HEAD")

    assert ran.code == 2
    assert "other.yaml does not exist at that revision" in ran.err


def test_outside_of_git_there_is_no_revision(
    gpuinfra: Run, stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    ran = gpuinfra("cost", stack(), "--diff", "HEAD")

    assert ran.code == 2
    assert "git work tree" in ran.err


def test_without_git_the_way_out_is_two_files(
    gpuinfra: Run, stack: Stack, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = gpuinfra("cost", stack(), "--diff", "HEAD")

    assert ran.code == 2
    assert "git is not installed" in ran.err
    assert "--compare" in ran.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--compare", "a", "b", "--diff", "HEAD"], "can't be combined"),
        (["c", "--compare", "a", "b"], "names both files itself"),
        (["--diff", "."], "is a file or folder"),
    ],
)
def test_options_that_do_not_go_together(gpuinfra: Run, options: list[str], words: str) -> None:
    ran = gpuinfra("cost", *options)

    assert ran.code == 2
    assert words in " ".join(ran.err.split())


def test_more_machines_look_cheaper_only_with_the_reason(
    gpuinfra: Run, stack: Stack, tmp_path: Path
) -> None:
    cap = ("per_hour: 8, per_run: 20", "per_hour: 80, per_run: 20")
    before = stack(cap).rename(tmp_path / "before.yaml")
    after = stack(cap, MORE)
    told = "trainer: on-demand@us-east-1 is excluded: "

    ran = gpuinfra("cost", "--compare", before, after)
    markdown = gpuinfra("cost", "--compare", before, after, "--format", "markdown").out
    (rung,) = json.loads(gpuinfra("cost", "--compare", before, after, "--json").out)["comparison"][
        "rungs"
    ]

    assert " per run (1 rung excluded)" in ran.out
    assert told in ran.out
    assert told in markdown
    assert "a run, above the cap of $20.00" in rung["struck"]
    assert (
        "on-demand@us-east-1 is available again"
        in gpuinfra("cost", "--compare", after, before).out
    )


def test_the_documented_keys_of_a_comparison_are_the_real_ones(
    gpuinfra: Run, quickstart: Path
) -> None:
    answer = json.loads(gpuinfra("cost", "--compare", quickstart, quickstart, "--json").out)

    assert set(answer) == documented()["cost --compare"]


def test_a_lock_is_what_diff_compares_with(gpuinfra: Run, stack: Stack) -> None:
    path = stack()
    assert gpuinfra("lock", path).code == 0
    assert "no change in cost" in gpuinfra("cost", path, "--diff").out

    ran = gpuinfra("cost", stack(MORE, BUDGET), "--diff", "--detail")
    assert ran.code == 0
    assert re.search(MORE_MACHINES, ran.out)


def test_base_and_diff_are_one_option(gpuinfra: Run, stack: Stack, quickstart: Path) -> None:
    more = stack(("disk: 200GB", "disk: 400GB"))

    files = gpuinfra("cost", "--compare", quickstart / "stack.yaml", more)
    assert files.code == 0
    assert gpuinfra("cost", more, "--diff", quickstart / "stack.yaml").out == files.out
    assert gpuinfra("cost", more, "--base", quickstart / "stack.yaml").out == files.out
    checked = gpuinfra("check", more, "--base", quickstart / "stack.yaml").out
    assert "since " in checked
    assert gpuinfra("check", more, "--diff", quickstart / "stack.yaml").out == checked
