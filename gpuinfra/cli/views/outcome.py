"""Showing a run of the engine: live while it works, and what it came to."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.hints import clear_pending
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views import money_moved
from gpuinfra.cli.views.layout import wrapped
from gpuinfra.cli.views.names import short_type
from gpuinfra.cli.views.progress import waiting
from gpuinfra.cli.views.render import clean, folded, note, show_refusals, show_table
from gpuinfra.cost.movement import Movement
from gpuinfra.engine.contract import OnProgress, Outcome, PolicyFinding, Progress, Step
from gpuinfra.report.pages import EXPLAINED
from gpuinfra.rules.rule import TO_FIX, described

QUIET = {"same", "read", "refresh"}
SIGNS = {
    "create": "+",
    "update": "~",
    "replace": "±",
    "delete": "-",
    "import": "=",
    **dict.fromkeys(QUIET, "·"),
}


@contextmanager
def live(title: str, detail: Detail = "normal") -> Generator[OnProgress]:
    """What the engine is at, on a terminal; only warnings, and a line now and then, elsewhere.

    With "quiet" it is what gpuinfra itself says alone, of a Ctrl-C for instance.
    """
    with nullcontext(_ignored) if detail == "quiet" else waiting(title) as update:

        def show(progress: Progress) -> None:
            _message(progress)
            if progress.kind == "start" and progress.operation not in QUIET:
                name = clean(progress.urn.rsplit("::", 1)[-1])
                update(f"{progress.done}/{progress.total} {progress.operation} {name}")

        yield show


def _ignored(_: str) -> None:
    """Show nothing of what the engine is at."""


def _message(progress: Progress) -> None:
    if progress.kind == "note" and progress.message:
        click.echo(clean(progress.message), err=True)


def show_outcome(
    outcome: Outcome,
    target: str,
    *,
    brief: bool = False,
    moved: Movement | None = None,
    check: StackCheck | None = None,
    detail: Detail = "normal",
) -> None:
    """The steps, what the packs and the cloud said, the counts; always names the target.

    Args:
        outcome: what came of a run.
        target: where it ran.
        brief: show how many of each type instead of every resource.
        moved: what the run does to the rate.
        check: the stack as it is built, for what its other rungs cost.
        detail: "quiet" for failures and unfinished work alone, "verbose" for unchanged resources,
            too.
    """
    if detail == "quiet":
        _show_failure(outcome, target)
        return
    steps = [
        step
        for step in outcome.steps
        if detail == "verbose" or step.operation not in QUIET or step.failed
    ]
    if brief and steps:
        counts = Counter((_sign(step), short_type(step.type)) for step in steps)
        rows = [(sign, str(count), type_) for (sign, type_), count in sorted(counts.items())]
        show_table(("", "how many", "type"), rows, right=("how many",))
    elif steps:
        _show_steps(steps)
    _show_findings(outcome.findings)
    _show_errors(outcome)
    for warning in dict.fromkeys(_warnings(outcome)):
        note(f"note: {warning}")
    _show_unfinished(outcome, target)
    if moved is not None:
        money_moved.show(moved)
        if check is not None:
            money_moved.show_fallbacks(check)
    _show_summary(outcome, target)


def _show_failure(outcome: Outcome, target: str) -> None:
    """Why a run failed, and what it left unfinished; nothing of one that did neither."""
    _show_unfinished(outcome, target)
    if not outcome.ok:
        _show_findings(_mandatory(outcome))
        _show_errors(outcome)
        _show_summary(outcome, target)


def _mandatory(outcome: Outcome) -> list[PolicyFinding]:
    """The findings that stopped the run."""
    return [finding for finding in outcome.findings if finding.level == "mandatory"]


def _show_findings(findings: Sequence[PolicyFinding]) -> None:
    for finding in findings:
        mandatory = finding.level == "mandatory"
        mark = "✗" if mandatory else "!"
        click.secho(mark, fg="red" if mandatory else "yellow", nl=False)
        click.echo(_finding(mark, finding)[len(mark) :])


def _show_errors(outcome: Outcome) -> None:
    """What the cloud refused; else, where no pack refused, the errors of the run."""
    show_refusals(outcome.refusals)
    if not outcome.ok and not outcome.refusals and not _mandatory(outcome):
        for diagnostic in outcome.diagnostics:
            if diagnostic.severity == "error":
                note(diagnostic.message)


def _show_unfinished(outcome: Outcome, target: str) -> None:
    for left in outcome.work_left:
        note(f"unfinished: {left}")
    if outcome.work_left:
        note(clear_pending(target))


def _show_summary(outcome: Outcome, target: str) -> None:
    click.secho(
        wrapped(summary(outcome, target), "  "), fg="red" if outcome.exit_code else "green"
    )


def _finding(mark: str, finding: PolicyFinding) -> str:
    """What a pack found: what is wrong, and below it what to change.

    The engine puts the policy's description before it, which says what is right.
    """
    rule = next((each for each in EXPLAINED if each.id == finding.policy), None)
    head = described(rule) if rule else ""
    told, _, fix = finding.message.removeprefix(head).strip().partition(TO_FIX)
    text = wrapped(f"{mark} {finding.policy}: {clean(told).rstrip('.')}", "    ")
    return f"{text}\n{folded('    fix: ', fix.rstrip('.'))}" if fix else text


def _warnings(outcome: Outcome) -> Iterator[str]:
    """What the program or a plugin warned of; those of no resource are the engine's own."""
    for diagnostic in outcome.diagnostics:
        if diagnostic.severity == "warning" and diagnostic.urn:
            yield diagnostic.message


def _sign(step: Step) -> str:
    return "✗" if step.failed else SIGNS.get(step.operation, "?")


def _show_steps(steps: Sequence[Step]) -> None:
    """A line for each resource; why, where any has a reason."""
    columns = ("", "resource", "type", "because of")
    rows = [_row(step) for step in steps]
    told = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    show_table(columns[:told], [row[:told] for row in rows])


def _row(step: Step) -> tuple[str, ...]:
    because = ", ".join(step.causes or step.differences)
    return (_sign(step), step.urn.rsplit("::", 1)[-1], short_type(step.type), because)


def summary(outcome: Outcome, target: str) -> str:
    """One line: the verb, the target, the counts, the time, and why it ended."""
    counts = ", ".join(f"{count} {name}" for name, count in outcome.changes.items() if count)
    told = outcome.refusals or _mandatory(outcome)
    why = f": {clean(outcome.reason)}" if outcome.reason and not told else ""
    unchanged = "no changes" if outcome.ok and outcome.unchanged else counts or "nothing done"
    ended = "unfinished" if outcome.ok else outcome.ending
    ending = f" {ended}" if outcome.exit_code else ""
    return f"{outcome.verb} [{target}]{ending}: {unchanged} in {outcome.seconds:.1f} s{why}"
