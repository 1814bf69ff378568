"""Showing a run of the engine: live while it works, and what it came to."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.hints import clear_pending
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views import money_moved, steps
from gpuinfra.cli.views.layout import place_line, wrapped
from gpuinfra.cli.views.progress import say, waiting
from gpuinfra.cli.views.render import clean, folded, note, show_refusals
from gpuinfra.clouds import PACKAGES, title
from gpuinfra.cost.movement import REST, Movement
from gpuinfra.engine.contract import OnProgress, Outcome, PolicyFinding, Progress
from gpuinfra.errors import Refusal
from gpuinfra.report.pages import EXPLAINED
from gpuinfra.rules.rule import TO_FIX, described

CLOUDS = {package: title(cloud) for cloud, package in PACKAGES.items()}
"""Who refuses a resource, by the package of its type."""

MOST_NAMES = 3


def no_workload(_: str) -> str:
    """Where no stack file says which workload a resource is of."""
    return REST


def without_warnings(outcome: Outcome, is_told: Callable[[PolicyFinding], bool]) -> Outcome:
    """An outcome without the warnings that were told before; what refuses stays."""
    new = tuple(
        finding
        for finding in outcome.findings
        if finding.level == "mandatory" or not is_told(finding)
    )
    return replace(outcome, findings=new)


@contextmanager
def live(title: str, detail: Detail = "normal") -> Generator[OnProgress]:
    """What the engine is at, on a terminal; only warnings, and a line now and then, elsewhere.

    With "quiet" it is what gpuinfra itself says alone, of a Ctrl-C for instance.
    """
    with nullcontext(_ignored) if detail == "quiet" else waiting(title) as update:

        def show(progress: Progress) -> None:
            _message(progress)
            if progress.kind == "start" and progress.operation not in steps.QUIET:
                name = clean(progress.urn.rsplit("::", 1)[-1])
                update(f"{progress.operation} {name}, {progress.done} done")

        yield show


def _ignored(_: str) -> None:
    """Show nothing of what the engine is at."""


def _message(progress: Progress) -> None:
    if progress.kind == "note" and progress.message:
        say(clean(progress.message))


def show_outcome(
    outcome: Outcome,
    target: str,
    workload_of: Callable[[str], str] = no_workload,
    *,
    movement: Movement | None = None,
    check: StackCheck | None = None,
    foreseen: bool = False,
    detail: Detail = "normal",
    below: Callable[[], None] | None = None,
) -> None:
    """The resources, what the packs and the cloud said, the rates; last a line with the target.

    Args:
        outcome: what came of a run.
        target: where it ran.
        workload_of: gives the workload of a resource's name.
        movement: what the run does to the rate.
        check: the stack as it is built, for what its other rungs cost.
        foreseen: nothing was done yet, as in every preview.
        detail: "quiet" for failures and unfinished work alone, "verbose" for each resource,
            those unchanged, too.
        below: prints more before the last line, but where nothing is printed.
    """
    foreseen = foreseen or outcome.verb == "preview"
    if detail == "quiet" and outcome.ok:
        _show_unfinished(outcome, target)
        return
    if detail != "quiet":
        steps.show(outcome, workload_of, foreseen=foreseen, detail=detail)
    _show_findings(outcome.findings if detail != "quiet" else _mandatory(outcome))
    _show_errors(outcome)
    for warning in dict.fromkeys(_warnings(outcome)) if detail != "quiet" else ():
        note(f"note: {warning}")
    _show_unfinished(outcome, target)
    told = not foreseen or outcome.ending in {"fine", "refused"}
    if movement is not None and told and detail != "quiet":
        money_moved.show(movement)
        if check is not None:
            money_moved.show_fallbacks(check)
    if below is not None:
        below()
    _show_summary(outcome, target, foreseen=foreseen)


def _mandatory(outcome: Outcome) -> list[PolicyFinding]:
    """The findings that stopped the run."""
    return [finding for finding in outcome.findings if finding.level == "mandatory"]


def _show_findings(findings: Sequence[PolicyFinding]) -> None:
    for finding in _merged(findings):
        mandatory = finding.level == "mandatory"
        mark = "✗" if mandatory else "!"
        click.secho(mark, fg="red" if mandatory else "yellow", nl=False)
        click.echo(_finding(mark, finding)[len(mark) :])


def _merged(findings: Sequence[PolicyFinding]) -> Iterator[PolicyFinding]:
    """Findings that say the same of several resources as one, which names them all."""
    names: dict[PolicyFinding, dict[str, None]] = {}
    for finding in findings:
        name, colon, rest = _without_title(finding).partition(": ")
        alike = replace(finding, message=f"{colon}{rest}" if colon else name, urn="")
        names.setdefault(alike, {})[name if colon else ""] = None
    for finding, named in names.items():
        yield replace(finding, message=f"{', '.join(named)}{finding.message}")


def _without_title(finding: PolicyFinding) -> str:
    """A finding's message without the policy's description, which says what is right."""
    rule = next((each for each in EXPLAINED if each.id == finding.policy), None)
    return finding.message.removeprefix(described(rule) if rule else "").strip()


def _show_errors(outcome: Outcome) -> None:
    """What the cloud refused; else, where no pack refused, the errors of the run."""
    show_refusals(outcome.refusals)
    for message in _errors(outcome):
        note(message)


def _errors(outcome: Outcome) -> tuple[str, ...]:
    """The errors of a run, each once, where neither a cloud nor a pack refused anything."""
    if outcome.ok or outcome.refusals or _mandatory(outcome):
        return ()
    errors = (it.message for it in outcome.diagnostics if it.severity == "error")
    return tuple(dict.fromkeys(errors))


def _show_unfinished(outcome: Outcome, target: str) -> None:
    for left in outcome.work_left:
        note(f"unfinished: {left}")
    if outcome.work_left:
        note(clear_pending(target))


def _show_summary(outcome: Outcome, target: str, *, foreseen: bool) -> None:
    told = wrapped(summary(outcome, target, foreseen=foreseen), "  ")
    click.secho(told, fg="red" if outcome.exit_code else "green", bold=True)


def _finding(mark: str, finding: PolicyFinding) -> str:
    """What a pack found: what is wrong, and below it where in the file and what to change.

    The engine puts the policy's description before it, which says what is right.
    """
    told, _, fix = _without_title(finding).partition(TO_FIX)
    text = wrapped(f"{mark} {finding.policy}: {clean(told).rstrip('.')}", "    ")
    if finding.position is not None:
        text += f"\n{place_line(finding.position)}"
    return f"{text}\n{folded('    fix: ', fix.rstrip('.'))}" if fix else text


def _warnings(outcome: Outcome) -> Iterator[str]:
    """What the program or a plugin warned of; those of no resource are the engine's own."""
    for diagnostic in outcome.diagnostics:
        if diagnostic.severity == "warning" and diagnostic.urn:
            yield diagnostic.message


def summary(outcome: Outcome, target: str, *, foreseen: bool = False) -> str:
    """One line: the verb, the target, how it ended and why, the counts, the engine's time."""
    counts = steps.counts(outcome, foreseen=foreseen)
    unchanged = "no changes" if outcome.ok and outcome.unchanged else counts or "nothing done"
    told = (f"{outcome.verb} [{target}]", _ending(outcome))
    took = f"in {outcome.seconds:.1f} s (engine)"
    return f"{' '.join(filter(None, told))}: {_why(outcome)}{unchanged} {took}"


def _ending(outcome: Outcome) -> str:
    if outcome.ok:
        return "unfinished" if outcome.exit_code else ""
    return outcome.ending if outcome.ending in {"refused", "interrupted"} else "failed"


def _why(outcome: Outcome) -> str:
    """Who refused what; else the reason; nothing of a run that went well."""
    if outcome.ok:
        return ""
    if mandatory := _mandatory(outcome):
        return f"{_listed(finding.policy for finding in mandatory)}; "
    if outcome.refusals:
        cloud = next(filter(None, map(_cloud, outcome.refusals)), "the cloud")
        return f"{cloud} refused {_listed(map(_refused, outcome.refusals))}; "
    reason = clean(_beyond_errors(outcome))
    return f"{reason}; " if reason else ""


def _beyond_errors(outcome: Outcome) -> str:
    """The reason without the error that ends it, which stands above on lines of its own."""
    for message in _errors(outcome):
        if outcome.reason.endswith(message):
            return outcome.reason.removesuffix(message).rstrip(": ")
    return outcome.reason


def _cloud(refusal: Refusal) -> str:
    """The cloud that a refused resource is of; empty where its type does not say it."""
    return CLOUDS.get(_package(refusal.urn), "")


def _package(urn: str) -> str:
    """The package of a resource's type, which ends the types of its parents in a URN."""
    return urn.rpartition("::")[0].rpartition("::")[2].rpartition("$")[2].partition(":")[0]


def _refused(refusal: Refusal) -> str:
    """The name of a refused resource."""
    return clean(refusal.urn.rpartition("::")[2] or refusal.what)


def _listed(names: Iterable[str]) -> str:
    """The first of several names, each once, and how many more there are."""
    each = list(dict.fromkeys(names))
    more = f" and {len(each) - MOST_NAMES} more" if len(each) > MOST_NAMES else ""
    return f"{', '.join(each[:MOST_NAMES])}{more}"
