"""Words that users of other tools type, and colours that guide the eye."""

import re
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from gpuinfra.cli import run
from gpuinfra.cli.commands.up import addresses
from gpuinfra.cli.views import outcome as outcomes
from gpuinfra.cli.views.render import show_error
from gpuinfra.engine.contract import PolicyFinding
from gpuinfra.errors import InputError, Position, Problem


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["help"], ["--help"]),
        (["help", "check"], ["check", "--help"]),
        (["help", "catalog", "show"], ["catalog", "show", "--help"]),
        (["version"], ["--version"]),
    ],
)
def test_help_and_version_are_the_options(
    capsys: pytest.CaptureFixture[str], words: list[str], options: list[str]
) -> None:
    assert run(words) == 0
    told = capsys.readouterr().out
    assert run(options) == 0

    assert capsys.readouterr().out == told


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["lock", "a", "b"], "name one SOURCE at a time"),
        (["choose", "L4", "--spot"], "fix:     write --capacity spot"),
        (["choose", "--model", "70B"], "fix:     write --for-model"),
        (["choose", "L4", "--vram", "24GB"], "fix:     write --memory 80GB.."),
        (["choose", "L4", "--duration", "3h"], "fix:     write --for"),
        (["check", "--nodes", "2"], "the machines are in the file: nodes: or replicas: of the"),
        (["check", "--spot"], "the purchase option is in the file: capacity: … of the workload"),
        (
            ["check", ".", "--josn"],
            "error: unknown option --josn\n  did you mean '--json'?\n  Usage:",
        ),
        (["chekc"], "error: unknown command chekc\n  did you mean 'check'?\n  Usage:"),
        (["apply"], "error: unknown command apply\n  fix:     `gpuinfra up` builds a stack\n"),
        (["catalog", "show"], "error: WORD is missing\n  Usage:"),
        (["check", "--as-of", "now"], "error: --as-of: 'now' is not a date: write YYYY-MM-DD"),
        (["check", "--settings"], "error: option '--settings' requires an argument\n  Try"),
        (["check", "-"], "standard input is not read"),
        (["check", "-"], "`gpuinfra check preview.json`"),
    ],
)
def test_what_is_not_taken_says_what_is(
    capsys: pytest.CaptureFixture[str], words: list[str], hint: str
) -> None:
    assert run(words) == 2
    assert hint in capsys.readouterr().err


def test_no_hint_names_an_option_that_the_command_has_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["check", "--spot"]) == 2
    assert "--capacity" not in capsys.readouterr().err


def test_the_place_the_caret_and_the_fix_of_a_problem_are_set_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = Position("a.yaml", 3, 2, " x: 1")
    error = InputError([Problem(message="wrong", fix="write y", position=at)])
    with click.Context(click.Command("x"), color=True):
        show_error(error)
    coloured = capsys.readouterr().err
    show_error(error)

    assert coloured.startswith("\x1b[31merror: \x1b[0m\x1b[1ma.yaml:3:2:\x1b[0m wrong")
    assert "\x1b[31m      |  ^\x1b[0m" in coloured
    assert "\x1b[1m  fix:\x1b[0m     write y" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == capsys.readouterr().err


def test_what_is_allowed_is_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    keys = ", ".join(f"key{number}" for number in range(20))
    show_error(InputError([Problem(message=f"unknown {at}", allowed=keys) for at in "abc"]))

    assert capsys.readouterr().err.count(keys) == 1


@pytest.mark.parametrize(("cloud", "gpu"), [("aws", "T4"), ("gcp", "L4")])
def test_the_tables_of_a_plan_stay_tables_at_80_columns(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    cloud: str,
    gpu: str,
) -> None:
    region = {"aws": "us-east-1", "gcp": "us-central1"}[cloud]
    (tmp_path / "stack.yaml").write_text(
        f"name: my-stack\nowner: ml\nwhere: {{cloud: {cloud}, regions: [{region}]}}\n"
        f"training: {{tune: {{gpu: {gpu}, duration: 24h}}}}\n"
    )
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)  # the command that names the source stays on one line
    assert run(["plan"]) == 0
    out = capsys.readouterr().out

    assert max(map(len, out.splitlines())) <= 80
    assert len(re.findall(r"^workload +(?:purpose|rung) +machines? ", out, re.MULTILINE)) == 2


def test_the_end_of_a_time_is_written_as_other_moments() -> None:
    moment = datetime(2026, 11, 27, 3, 49, 17, tzinfo=UTC)
    outputs = {"ends": {"lora": f"{moment:%Y-%m-%dT%H:%M:%SZ}", "other": "unknown"}}

    assert dict(addresses(outputs)) == {
        "lora ends": "2026-11-27 03:49 UTC",
        "other ends": "unknown",
    }


def test_a_warning_that_several_resources_share_is_printed_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def finding(message: str, policy: str = "price-outdated") -> PolicyFinding:
        return PolicyFinding(policy=policy, pack="p", level="advisory", message=message, urn="u")

    outcomes._show_findings(
        [
            finding("lora-stop: outdated prices: alarm To fix it: refresh."),
            finding("lora: outdated prices: alarm To fix it: refresh."),
            finding("lora: outdated prices: disk To fix it: refresh."),
            finding("the limit is low", "cap-per-hour"),
        ]
    )
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("!")]

    assert lines == [
        "! price-outdated: lora-stop, lora: outdated prices: alarm",
        "! price-outdated: lora: outdated prices: disk",
        "! cap-per-hour: the limit is low",
    ]
