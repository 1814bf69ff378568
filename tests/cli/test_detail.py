"""-q and -v: only failures, of a plan or a quote its totals; and all that is known."""

import re

import click
import pytest

from gpuinfra.api import checking, preparing
from gpuinfra.cli import COMMANDS, cli
from gpuinfra.cli.commands import doctor
from gpuinfra.cli.views.outcome import show_outcome
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, Pending, PolicyFinding, ResourceStep, StackStatus
from gpuinfra.today import today
from tests.cli.conftest import Run

UNCHANGED = ResourceStep(
    urn="urn:pulumi:sandbox::demo::aws:ec2/vpc:Vpc::a-vpc", type="x", operation="same"
)
CREATED = ResourceStep(
    urn="urn:pulumi:sandbox::demo::aws:ec2/vpc:Vpc::b-vpc", type="x", operation="create"
)
ADVICE = PolicyFinding(pack="all", policy="time-limit", level="advisory", message="a hung run")
REFUSED = PolicyFinding(pack="all", policy="open-login", level="mandatory", message="port 22")
PENDING = Pending(
    urn="urn:pulumi:sandbox::demo::aws:ec2/vpc:Vpc::demo-vpc",
    type="aws:ec2/vpc:Vpc",
    operation="creating",
)


def commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    by_name = {name: cli.get_command(context, name) for name, _ in COMMANDS}
    return {name: command for name, command in by_name.items() if command is not None}


def test_the_short_options_mean_the_same_everywhere() -> None:
    takes: dict[str, set[str]] = {}
    for name, command in commands().items():
        for parameter in command.params:
            for option in {"-q", "-v"} & {*parameter.opts}:
                takes.setdefault(option, set()).add(name)
                assert (parameter.name, parameter.opts[1]) == (
                    "detail",
                    {"-q": "--quiet", "-v": "--verbose"}[option],
                )

    engine = {"preview", "up", "refresh", "destroy"}
    assert takes == {
        "-v": {"check", "cost", "plan", "status", *engine},
        "-q": {"check", "cost", "plan", "status", "doctor", *engine},
    }


def test_a_quiet_run_that_went_well_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(verb="up", ending="fine", steps=(CREATED,), findings=(ADVICE,))

    show_outcome(outcome, "sandbox", detail="quiet")

    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_quiet_run_says_why_it_failed_and_what_it_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = ("creating a-vpc: its outcome is unknown", "creating b-vpc: its outcome is unknown")
    outcome = Outcome(
        verb="up", ending="refused", findings=(ADVICE, REFUSED), steps=(CREATED,), work_left=left
    )

    show_outcome(outcome, "sandbox", detail="quiet")

    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "✗ open-login: port 22",
        "up [sandbox] refused: open-login; nothing done in 0.0 s (engine)",
    ]
    told = " ".join(captured.err.split())
    assert told.startswith(f"unfinished: {left[0]} unfinished: {left[1]} the outcome of pending")
    assert told.count("run: gpuinfra refresh . --target sandbox --clear-pending") == 1


def test_a_verbose_run_lists_unchanged_resources(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(verb="up", ending="fine", steps=(UNCHANGED, CREATED))

    show_outcome(outcome, "sandbox")
    normal = capsys.readouterr().out
    show_outcome(outcome, "sandbox", detail="verbose")
    verbose = capsys.readouterr().out

    assert ("a-vpc" in normal, "b-vpc" in normal) == (False, True)
    assert any(line.split()[:2] == ["·", "a-vpc"] for line in verbose.splitlines())


def test_a_quiet_quote_is_the_totals_and_what_has_no_price(gpuinfra: Run, tmp_path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(
        "name: data\nowner: me\nbudget: {per_hour: 1}\nprices: {accept_outdated: true}\n"
        "where: {cloud: azure, regions: [westus3]}\nbuckets: {data: {size: 1TB}}\n"
    )
    fine = gpuinfra("cost", path, "-q")
    path.write_text(path.read_text().replace("1TB}", "1TB, writes: 1M}"))
    unpriced = gpuinfra("cost", path, "-q")

    assert fine.code == 0
    assert re.fullmatch(r"data: at most \$0\.0\d/h \(cap \$1\.00\), [^\n]*\n", fine.out)
    assert unpriced.code == 1
    total, missing = unpriced.out.splitlines()
    assert total.startswith("data: at least ")
    assert missing.startswith("no price known: data: no price for blob-hot-write")


def test_a_verbose_quote_is_the_detailed_one(gpuinfra: Run, quickstart) -> None:
    assert gpuinfra("cost", quickstart, "-v").out == gpuinfra("cost", quickstart, "--detail").out


def test_a_quiet_doctor_names_only_what_is_missing(gpuinfra: Run, monkeypatch) -> None:
    there = doctor.DoctorRow(item="Python", result="3.11", ok=True)
    missing = doctor.DoctorRow(item="moto", result="missing", ok=False, fix="pip install moto")
    monkeypatch.setattr(doctor, "installation_rows", lambda: iter([there]))
    fine = gpuinfra("doctor", "-q")
    monkeypatch.setattr(doctor, "installation_rows", lambda: iter([there, missing]))
    failed = gpuinfra("doctor", "-q")

    assert (fine.code, fine.out) == (0, "")
    assert failed.code == 3
    assert ("moto" in failed.out, "Python" in failed.out) == (True, False)


@pytest.fixture
def half_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack of which a destroyed or killed run has left one operation, and no resources."""
    status = StackStatus(
        project="quickstart",
        target="sandbox",
        resources=(),
        pending=(PENDING,),
        outputs={},
        config={},
        updated=None,
    )
    monkeypatch.setattr(lifecycle, "current_status", lambda _: status)


def test_a_status_without_resources_names_what_is_pending(
    gpuinfra: Run, quickstart, half_built: None
) -> None:
    normal = gpuinfra("status", quickstart, "--target", "sandbox")
    quiet = gpuinfra("status", quickstart, "--target", "sandbox", "-q")

    assert "pending: creating aws:ec2:Vpc demo-vpc" in normal.out
    assert "0 resources deployed" in normal.out
    assert quiet.out.startswith("pending: creating aws:ec2:Vpc demo-vpc\n")
    assert "refresh" in quiet.out
    assert "--clear-pending" in quiet.out


def test_the_api_tells_what_is_pending_without_resources(quickstart, half_built: None) -> None:
    result = preparing.status_of(checking.check_stack(quickstart, {}, today()), "sandbox")

    assert result.standing is not None
    assert result.standing.pending == (PENDING,)
