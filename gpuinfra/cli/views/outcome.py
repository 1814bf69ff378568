"""The output of an engine run: live progress, and the outcome."""

import re
import shlex
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import click

from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.hints import clear_pending
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views import cost_change_table, steps
from gpuinfra.cli.views.layout import place_line, wrap_text
from gpuinfra.cli.views.progress import say, show_waiting
from gpuinfra.cli.views.render import clean, note, show_refusals, wrap_after
from gpuinfra.clouds import PACKAGES, title
from gpuinfra.cost.cost_rate_changes import REST_LABEL, CostMovement
from gpuinfra.engine.contract import OnProgress, Outcome, PolicyFinding, Progress
from gpuinfra.errors import EngineError, Position, Refusal
from gpuinfra.report.rule_text import EXPLAINED_RULES
from gpuinfra.rules.rule import TO_FIX, policy_description
from gpuinfra.units.message_merging import first_in_words
from gpuinfra.urns import name_of, type_of

CLOUD_TITLES = {package: title(cloud) for cloud, package in PACKAGES.items()}
"""The name of the cloud that refuses a resource, by package of its type."""

MOST_NAMES = 3

_NO_PLUGIN = re.compile(
    r"resource plugin 'pulumi-resource-(?P<package>[\w-]+)' at version (?P<version>v[\w.+-]+)"
)
"""The engine's complaint that it lacks a provider's plugin, and can't download it."""

_NEEDS_NO_CLOUD = ("preview", "up")
"""What can be done in the sandbox as well."""


def no_workload(_: str) -> str:
    """Return `REST_LABEL` for every resource, where no stack file gives the workloads."""
    return REST_LABEL


def drop_shown_warnings(outcome: Outcome, is_told: Callable[[PolicyFinding], bool]) -> Outcome:
    """Return an outcome without warnings already shown; mandatory findings stay."""
    new = tuple(
        finding
        for finding in outcome.findings
        if finding.level == "mandatory" or not is_told(finding)
    )
    return replace(outcome, findings=new)


@contextmanager
def live(title: str, detail: Detail = "normal") -> Generator[OnProgress]:
    """Show the engine's progress on a terminal; elsewhere warnings and an occasional line.

    With "quiet" it is what gpuinfra itself says alone, of a Ctrl-C for instance.
    """
    with nullcontext(_ignore_progress) if detail == "quiet" else show_waiting(title) as update:

        def show(progress: Progress) -> None:
            _message(progress)
            if progress.kind == "start" and progress.operation not in steps.QUIET:
                name = clean(name_of(progress.urn))
                update(f"{progress.operation} {name}, {progress.done} done")

        yield show


def _ignore_progress(_: str) -> None:
    """Ignore a progress message."""


def _message(progress: Progress) -> None:
    if progress.kind == "note" and progress.message:
        say(clean(progress.message))


def show_outcome(
    outcome: Outcome,
    target: str,
    workload_of: Callable[[str], str] = no_workload,
    *,
    movement: CostMovement | None = None,
    check: StackCheck | None = None,
    is_preview: bool = False,
    detail: Detail = "normal",
    below: Callable[[], None] | None = None,
) -> None:
    """Print the resources, findings, refusals and costs; last a summary with the target.

    Args:
        outcome: what came of a run.
        target: where it ran.
        workload_of: gives the workload of a resource's name.
        movement: the change of the rate.
        check: the stack as it is built, for what its other rungs cost.
        is_preview: nothing was done yet, as in every preview.
        detail: "quiet" for failures and unfinished work alone, "verbose" for each resource,
            those unchanged, too.
        below: prints more before the last line, but where nothing is printed.
    """
    is_preview = is_preview or outcome.verb == "preview"
    if detail == "quiet" and outcome.ok:
        _show_unfinished(outcome, target)
        return
    if detail != "quiet":
        steps.show(outcome, workload_of, is_preview=is_preview, detail=detail)
    _show_findings(outcome.findings if detail != "quiet" else _mandatory(outcome))
    _show_errors(outcome)
    for warning in dict.fromkeys(_warnings(outcome)) if detail != "quiet" else ():
        note(f"note: {warning}")
    _show_unfinished(outcome, target)
    shows_result = not is_preview or outcome.ending in {"fine", "refused"}
    if movement is not None and shows_result and detail != "quiet":
        cost_change_table.show(movement)
        if check is not None:
            cost_change_table.show_fallbacks(check)
    if below is not None:
        below()
    _show_summary(outcome, target, is_preview=is_preview)


def _mandatory(outcome: Outcome) -> list[PolicyFinding]:
    """Return the findings that stopped the run."""
    return [finding for finding in outcome.findings if finding.level == "mandatory"]


def _show_findings(findings: Sequence[PolicyFinding]) -> None:
    for finding, positions in _merge_findings(findings):
        is_mandatory = finding.level == "mandatory"
        mark = "✗" if is_mandatory else "!"
        click.secho(mark, fg="red" if is_mandatory else "yellow", nl=False)
        click.echo(_finding_text(mark, finding, positions)[len(mark) :])


def _merge_findings(
    findings: Sequence[PolicyFinding],
) -> Iterator[tuple[PolicyFinding, Sequence[Position]]]:
    """Yield findings, merging the same finding of several resources into one with all names.

    The places in the file of all of them come with it.
    """
    positions_by_finding: dict[PolicyFinding, dict[str, Position | None]] = {}
    for finding in findings:
        name, colon, finding_text = _without_title(finding).partition(": ")
        message = f"{colon}{finding_text}" if colon else name
        merged_finding = replace(finding, message=message, urn="", position=None)
        positions_by_finding.setdefault(merged_finding, {}).setdefault(
            name if colon else "", finding.position
        )
    for finding, subjects in positions_by_finding.items():
        # The engine ends its steps in any order; the file has one.
        in_order = sorted(subjects.items(), key=lambda item: _line(item[1]))
        names = ", ".join(name for name, _ in in_order)
        positions = dict.fromkeys(position for _, position in in_order if position is not None)
        yield replace(finding, message=f"{names}{finding.message}"), tuple(positions)


def _line(position: Position | None) -> tuple[int, int]:
    return (0, 0) if position is None else (position.line, position.column)


def _without_title(finding: PolicyFinding) -> str:
    """Return a finding's message without the policy's description."""
    rule = next((rule_id for rule_id in EXPLAINED_RULES if rule_id.id == finding.policy), None)
    return finding.message.removeprefix(policy_description(rule) if rule else "").strip()


def _show_errors(outcome: Outcome) -> None:
    """Print the cloud's refusals; else the run's errors, unless a pack refused it."""
    show_refusals(outcome.refusals)
    for message in _errors(outcome):
        note(message)
        plugin = _NO_PLUGIN.search(message)
        if plugin:
            fix = _plugin_fix(outcome, plugin["package"], plugin["version"])
            click.echo(wrap_after("  fix:     ", fix), err=True)


def _plugin_fix(outcome: Outcome, package: str, version: str) -> str:
    """Return the commands that help where the engine can't download a provider's plugin."""
    from gpuinfra.engine import install  # noqa: PLC0415  (only a missing plugin needs it)

    try:
        engine = install.find()
        pulumi = "pulumi" if engine.origin == "PATH" else shlex.quote(str(engine.path))
    except EngineError:
        pulumi = "pulumi"
    sandbox = "" if outcome.verb not in _NEEDS_NO_CLOUD else ", or use --target sandbox"
    command = f"`{pulumi} plugin install resource {package} {version}`"
    return f"with access to the internet, run {command}{sandbox}"


def _errors(outcome: Outcome) -> tuple[str, ...]:
    """Return the errors of a run, each once, unless a cloud or a pack refused something."""
    if outcome.ok or outcome.refusals or _mandatory(outcome):
        return ()
    errors = (
        diagnostic.message for diagnostic in outcome.diagnostics if diagnostic.severity == "error"
    )
    return tuple(dict.fromkeys(errors))


def _show_unfinished(outcome: Outcome, target: str) -> None:
    for operation in outcome.work_left:
        note(f"unfinished: {operation}")
    if outcome.work_left:
        note(clear_pending(target))


def _show_summary(outcome: Outcome, target: str, *, is_preview: bool) -> None:
    summary_lines = wrap_text(summary(outcome, target, is_preview=is_preview), "  ")
    click.secho(summary_lines, fg="red" if outcome.exit_code else "green", bold=True)


def _finding_text(mark: str, finding: PolicyFinding, positions: Sequence[Position]) -> str:
    """Return a policy finding: the problem, then its places in the file and the fix.

    The engine puts the policy's description before it, which says what is right.
    """
    message, _, fix = _without_title(finding).partition(TO_FIX)
    text = wrap_text(f"{mark} {finding.policy}: {clean(message).rstrip('.')}", "    ")
    text += "".join(f"\n{place_line(position)}" for position in positions)
    return f"{text}\n{wrap_after('    fix: ', fix.rstrip('.'))}" if fix else text


def _warnings(outcome: Outcome) -> Iterator[str]:
    """Yield the warnings of the program or a plugin; those without a resource are the engine's."""
    for diagnostic in outcome.diagnostics:
        if diagnostic.severity == "warning" and diagnostic.urn:
            yield diagnostic.message


def summary(outcome: Outcome, target: str, *, is_preview: bool = False) -> str:
    """Return one line: command, target, result, reason, counts and the engine's time."""
    counts = steps.counts(outcome, is_preview=is_preview)
    unchanged = "no changes" if outcome.ok and outcome.is_unchanged else counts or "nothing done"
    parts = (f"{outcome.verb} [{target}]", _ending_text(outcome))
    took = f"in {outcome.seconds:.1f} s (engine)"
    return f"{' '.join(filter(None, parts))}: {_failure_reason(outcome)}{unchanged} {took}"


def _ending_text(outcome: Outcome) -> str:
    if outcome.ok:
        return "unfinished" if outcome.exit_code else ""
    return outcome.ending if outcome.ending in {"refused", "interrupted"} else "failed"


def _failure_reason(outcome: Outcome) -> str:
    """Return who refused what, else the reason; empty for a run that succeeded."""
    if outcome.ok:
        return ""
    if mandatory := _mandatory(outcome):
        return f"{_first_names(finding.policy for finding in mandatory)}; "
    if outcome.refusals:
        cloud = next(filter(None, map(_cloud, outcome.refusals)), "the cloud")
        return f"{cloud} refused {_first_names(map(_refused_name, outcome.refusals))}; "
    reason = clean(_beyond_errors(outcome))
    return f"{reason}; " if reason else ""


def _beyond_errors(outcome: Outcome) -> str:
    """Return the reason without the final error, which is printed separately."""
    for message in _errors(outcome):
        if outcome.reason.endswith(message):
            return outcome.reason.removesuffix(message).rstrip(": ")
    return outcome.reason


def _cloud(refusal: Refusal) -> str:
    """Return the cloud of a refused resource; empty if its type belongs to no cloud."""
    return CLOUD_TITLES.get(type_of(refusal.urn).partition(":")[0], "")


def _refused_name(refusal: Refusal) -> str:
    """Return the name of a refused resource."""
    return clean(name_of(refusal.urn) or refusal.what)


def _first_names(names: Iterable[str]) -> str:
    """Return the first distinct names, and how many more there are."""
    return first_in_words(list(dict.fromkeys(names)), MOST_NAMES)
