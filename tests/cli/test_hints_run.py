"""Every command that a first session prints as the next step runs without an error."""

import gzip
import re
from pathlib import Path

import click
import pytest

from gpuinfra.cli import cli, run
from tests.cli.hints import hints_in, words

RECORDED = Path(__file__).parents[1] / "pulumi_files" / "recorded"

OVER = """\
name: over
owner: ml
budget: {per_hour: 40}
where: {regions: [us-east-1]}
training:
  tune:
    gpu: H100:8
    capacity: spot
    duration: 24h
"""
GOOD = """\
name: good
owner: ml
budget: {per_hour: 2, per_run: 30}
where: {regions: [us-east-1]}
training:
  tune: {gpu: L4:1, duration: 24h, time_to_live: 30h}
"""
SESSION = (
    "check over",
    "check over --fix",
    "check over --quiet",
    "check good",
    "check good -v",
    "cost good",
    "cost good --detail",
    "plan good",
    "plan good --resources",
    "report good",
    "iam good",
    "lock good",
    "lock good --diff",
    "init pool --what pool",
    "init box --what development --where us-west-2",
    "init good",
    "choose H100:8",
    "choose H100:8 --max-per-hour 1",
    "choose L4:1 --capacity spot",
    "choose --for-model 70B",
    "choose --for-model '{parameters: 8B, task: serve}'",
    "choose good",
    "choose Q100",
    "catalog age",
    "catalog ls",
    "catalog regions --cloud aws",
    "catalog show g6.xlarge",
    "catalog show nope",
    "commitments good",
    "explain",
    "explain nope",
    "explain spot-share",
    "schema nope",
    "policy new packs",
    "check preview.json",
    "check nowhere",
    "cost preview.json",
    "plan preview.json",
    "status good --target sandbox",
    "up good",
    "destroy good",
    "doctor --strict",
    "check over --program",
    "check good preview.json",
    "check over --write-waivers",
    "check good --base over",
    "check good --settings nowhere.yaml",
    "cost good --compare over",
    "cost good --region us-west-2",
    "cost good --against own",
    "explain --cloud all",
    "explain training.tune.gpu",
    "explain gpu",
    "lock nowhere",
    "migrate good",
    "preview good",
    "refresh good",
    "status",
    "report nowhere",
    "init box --gpu llama-3.1-70b",
    "init good --ci github --install gpuinfra",
    "choose L4:1 --region nowhere",
    "catalog prices",
    "policy nope",
    "sandbox nope",
    "completion nope",
    "check empty",
    "check pod.yaml",
    "check list.yaml",
    "check nowhere.yaml",
    "init",
    "init good --what pool",
)
"""The commands of a first hour, mistakes among them."""

ELSEWHERE = {
    "up": "the engine",
    "preview": "the engine",
    "refresh": "the engine",
    "destroy": "the engine",
    "status": "the engine",
    "quickstart": "the engine",
    "engine": "the network",
    "sandbox": "a server",
    "doctor": "an account",
    "catalog refresh": "the network",
    "--resolve-images": "an account",
}
"""What a hint's command needs that a test has not: its help is printed instead."""

PLACEHOLDER = re.compile(r"(?<!\S)[A-Z]{2,}(?!\S)|…")
"""A word that the reader replaces, for example FILE."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with stacks that pass, also one of its own, one over its cap, and a preview."""
    stacks = {"over": OVER, "good": GOOD, "my-stack": GOOD, "empty": "", ".": GOOD}
    for name, text in stacks.items():
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "stack.yaml").write_text(text)
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    (tmp_path / "list.yaml").write_text("- training\n")
    preview = gzip.decompress((RECORDED / "gpu_box/preview.json.gz").read_bytes())
    (tmp_path / "preview.json").write_bytes(preview)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments(hint: str) -> list[str]:
    """The words of a hint; with --help where its command needs what a test has not."""
    typed = list(words(hint))
    parts = {*typed[:1], " ".join(typed[:2]), *typed[1:]}
    return [*typed, "--help"] if parts & ELSEWHERE.keys() else typed


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", SESSION)
def test_each_hint_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    waiting, seen, failed = [command], {command}, []
    while waiting:
        hint = waiting.pop(0)
        code = run(arguments(hint))
        captured = capsys.readouterr()
        if hint != command and code not in {0, 1}:
            failed.append((hint, code, captured.err))
        new = [
            each
            for each in hints_in(captured.out + captured.err)
            if each not in seen and not PLACEHOLDER.search(each)
        ]
        seen.update(new)
        waiting += new if hint == command else []

    assert failed == []


@pytest.mark.parametrize("name", [name for name in ELSEWHERE if name[0] != "-"])
def test_a_command_that_needs_more_is_there(name: str) -> None:
    command: click.Command = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
        assert command is not None
