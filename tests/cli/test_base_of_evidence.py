"""`gpuinfra check --base` of previews and states: what a pull request changes in money."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.pulumi_files.files import SECRET, SIGNATURE, digest, entry, put, state, step

DAY = ("--as-of", "2026-11-21")
SETTINGS = "budget: {per_hour: 100}\nprices: {accept_outdated: true}\nregion: us-east-1\n"


def machine(name: str = "gpu", type_: str = "g6.xlarge") -> dict:
    return entry(name, id="i-1", inputs={"instanceType": type_})


def preview(*entries: dict) -> dict:
    return digest(*(step(newState=entry, urn=entry["urn"]) for entry in entries))


@pytest.fixture
def head(tmp_path: Path) -> Path:
    """A preview of two machines."""
    put(tmp_path, SETTINGS, "settings.yaml")
    return put(tmp_path, preview(machine(), machine("two")), "head.json")


def checked(gpuinfra: Run, head: Path, base: object, *options: object):
    settings = head.parent / "settings.yaml"
    return gpuinfra("check", head, "--settings", settings, "--base", base, *options, *DAY)


@pytest.mark.parametrize("made", [preview, state])
def test_a_preview_is_compared_with_a_preview_or_a_state(
    gpuinfra: Run, head: Path, tmp_path: Path, made
) -> None:
    base = put(tmp_path, made(machine()), "base.json")

    table = checked(gpuinfra, head, base).out
    comparison = json.loads(checked(gpuinfra, head, base, "--json").out)["comparison"]
    comment = checked(gpuinfra, head, base, "--format", "markdown").out

    assert f"since {base}: maximum cost changes by +$0.81" in table
    assert {(change["sign"], change["after"]["group"]) for change in comparison["changes"]} == {
        ("+", "two")
    }
    assert f"#### Since `{base}`: maximum cost changes by +&#36;0.81" in comment
    assert "| + | `two` | " in comment


def test_what_costs_the_same_says_so(gpuinfra: Run, head: Path, tmp_path: Path) -> None:
    same = put(tmp_path, head.read_text(), "same.json")

    assert f"since {same}: no change in cost" in checked(gpuinfra, head, same).out


def test_a_base_without_a_price_is_no_saving(gpuinfra: Run, head: Path, tmp_path: Path) -> None:
    base = put(tmp_path, preview(machine(type_="z9.huge")), "base.json")

    assert "had no price before" in checked(gpuinfra, head, base).out


@pytest.fixture
def repository(head: Path) -> Path:
    """The head in a repository in which it was not there, then broken, then cheaper."""
    git(head.parent, "init", "--quiet")
    text = head.read_text()
    for tag, content in (
        ("new", None),
        ("broken", "{"),
        ("cheap", json.dumps(preview(machine()))),
    ):
        head.unlink(missing_ok=True)
        if content is not None:
            head.write_text(content)
        git(head.parent, "add", "--all")
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        git(head.parent, *who, "commit", "--quiet", "-m", tag)
        git(head.parent, "tag", tag)
    head.write_text(text)
    return head


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("base", "out", "err"),
    [
        ("cheap", "since cheap: maximum cost changes by +$", ""),
        ("new", "", "no difference in cost: the file does not exist at new"),
        ("broken", "", "no difference in cost: the file is invalid at broken"),
    ],
)
def test_the_base_may_be_a_revision_of_the_file(
    gpuinfra: Run, repository: Path, base: str, out: str, err: str
) -> None:
    ran = checked(gpuinfra, repository, base)

    assert out in ran.out
    assert (f"since {base}" in ran.out) is bool(out)
    assert err in ran.err


def test_a_revision_that_nobody_knows_is_bad_input(gpuinfra: Run, repository: Path) -> None:
    ran = checked(gpuinfra, repository, "nowhere")

    assert ran.code == 2
    assert "unknown git revision" in ran.err


def test_a_broken_base_is_bad_input(
    gpuinfra: Run, head: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "{", "base.json")
    ran = checked(gpuinfra, head, "base.json")

    assert ran.code == 2
    assert "base.json" in ran.err


@pytest.mark.parametrize("folder", [False, True])
def test_like_is_compared_with_like(
    gpuinfra: Run, head: Path, quickstart: Path, folder: bool
) -> None:
    base = quickstart if folder else quickstart / "stack.yaml"

    ran = checked(gpuinfra, head, base)

    assert ran.code == 2
    assert "a preview or a state can only be compared with a preview or a state" in ran.err


def test_a_stack_file_is_compared_with_stack_files(
    gpuinfra: Run, head: Path, quickstart: Path
) -> None:
    ran = gpuinfra("check", quickstart, "--base", head, *DAY)

    assert ran.code == 2
    assert "a stack file can only be compared with a stack file" in ran.err


def test_secrets_of_the_base_are_not_shown(gpuinfra: Run, head: Path, tmp_path: Path) -> None:
    secret = {SIGNATURE: SECRET, "plaintext": json.dumps("z9.hunter22")}
    gpu_machine = machine()
    gpu_machine["inputs"]["instanceType"] = secret
    base = put(tmp_path, state(gpu_machine), "base.json")

    for options in ((), ("--json",), ("--format", "markdown")):
        ran = checked(gpuinfra, head, base, *options)
        assert "had no price before" in ran.out or options == ("--json",)
        assert "hunter22" not in ran.out + ran.err
