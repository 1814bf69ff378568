"""What commands print fits the columns that a reader has, and a locale without further signs."""

import re
import shlex
from pathlib import Path

import pytest

from gpuinfra.cli.commands import quickstart
from gpuinfra.cli.views import ascii_symbols, layout
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
WIDTH = 80

STACKS = ("startup-gcp", "research-azure", "enterprise-aws")
OF_A_STACK = (
    "check",
    "check -v",
    "check --all",
    "check --rung nope=spot",
    "check --rung trainer",
    "check --output nope",
    "plan",
    "plan --resources",
    "cost",
    "cost --detail",
    "cost --compare",
    "commitments",
    "iam",
    "lock --check",
    "lock --output out.lock",
    "status --target sandbox --rung nope",
    "doctor",
    "up",
    "preview --target nope",
    "destroy --target sandbox",
)
ALONE = (
    "choose",
    "choose L4:1",
    "choose nope",
    "choose H100:8 --region europe",
    "choose H100:8 --region nope",
    "choose --for-model 70B",
    "choose --for-model 70B --all",
    "choose --memory 80GB --fabric required --nodes 4",
    "explain",
    "explain open-login",
    "explain nope",
    "explain open-logn",
    "catalog ls",
    "catalog ls --gpu nope",
    "catalog show H100",
    "catalog show p5.48xlarge",
    "catalog show p5.48xlarge --why",
    "catalog show nope",
    "catalog age",
    "catalog claims",
    "catalog models",
    "catalog regions",
    "catalog score",
    "policy list",
    "policy check nope.yaml",
    "doctor",
    "engine status",
    "sandbox status",
    "sandbox types",
    "schema nope",
    "check nope",
    "check --fix --write-waivers",
    "cost nope --against nope",
    "commitments --usage nope.csv",
    "nope",
    "--nope",
    "--help",
    *(f"{name} --help" for name in ("check", "choose", "up", "init", "sandbox fault add")),
)
COMMANDS = (
    *ALONE,
    *(f"{words} {ROOT}/stacks/{name}" for words in OF_A_STACK for name in STACKS),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words.replace(f"{ROOT}/", ""))
def test_a_command_fits_its_reader(
    words: str, gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.chdir(tmp_path)

    ran = gpuinfra(*shlex.split(words))

    text = f"{ran.out}{ran.err}".replace(f"{ROOT}/", "")
    assert [line for line in text.splitlines() if _too_wide(line)] == []
    assert sorted(set(re.findall(r"[^\x00-\x7f]", text)) - set(ascii_symbols.ASCII)) == []


def test_the_end_of_the_tour_fits_its_reader(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setattr(quickstart, "program", lambda: "gpuinfra")

    quickstart.finish(
        quickstart.StepTimer(), Path("/home/jane/projects/gpuinfra/stacks/quickstart")
    )

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if layout.size(line) > WIDTH] == []


def _too_wide(line: str) -> bool:
    """Whether a line is longer than it has to be: a word or a command to copy stays whole."""
    return (
        layout.size(line) > WIDTH
        and len(line.split()) > 1
        and not line.lstrip().startswith("gpuinfra ")
    )
