"""Showing a run of the engine: live while it works, and what it came to."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import click

from gpuinfra.cli.render import clean, note, show_refusals, show_table
from gpuinfra.engine.contract import OnProgress, Outcome, Progress, Step

QUIET = {"same", "read", "refresh"}
SIGNS = {"create": "+", "update": "~", "replace": "±", "delete": "-", "import": "="}


@contextmanager
def live(title: str) -> Iterator[OnProgress]:
    """A spinner with the resource at work on a terminal; only warnings when piped."""
    if not sys.stderr.isatty():
        yield _message
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(title) as status:

        def show(progress: Progress) -> None:
            _message(progress)
            if progress.kind == "start" and progress.operation not in QUIET:
                name = progress.urn.rsplit("::", 1)[-1]
                status.update(
                    f"{title}: {progress.done}/{progress.total} {progress.operation} {clean(name)}"
                )

        yield show


def _message(progress: Progress) -> None:
    if progress.kind == "note" and progress.message:
        click.echo(clean(progress.message), err=True)


def show_outcome(outcome: Outcome, target: str, *, brief: bool = False) -> None:
    """The steps, what the packs and the cloud said, the counts; always names the target.

    `brief` shows how many of each type instead of every resource.
    """
    steps = [step for step in outcome.steps if step.operation not in QUIET or step.failed]
    if brief and steps:
        counts = Counter((_sign(step), step.type) for step in steps)
        rows = [(sign, str(count), type_) for (sign, type_), count in sorted(counts.items())]
        show_table(("", "how many", "type"), rows, right=("how many",))
    elif steps:
        show_table(("", "resource", "type", "because of"), [_row(step) for step in steps])
    for finding in outcome.findings:
        mandatory = finding.level == "mandatory"
        click.secho(
            f"{'✗' if mandatory else '!'} {finding.pack}/{finding.policy}",
            fg="red" if mandatory else "yellow",
            nl=False,
        )
        click.echo(f": {clean(finding.message)}")
    show_refusals(outcome.refusals)
    if not outcome.ok and not outcome.refusals and not outcome.findings:
        for diagnostic in outcome.diagnostics:
            if diagnostic.severity == "error":
                click.echo(clean(diagnostic.message), err=True)
    for warning in dict.fromkeys(_warnings(outcome)):
        note(f"note: {warning}")
    for left in outcome.work_left:
        click.echo(f"unfinished: {clean(left)}", err=True)
    click.secho(summary(outcome, target), fg="green" if outcome.ok else "red")
    if outcome.verb == "up" and not outcome.ok and not outcome.unchanged:
        click.echo(
            "the created resources remain: gpuinfra status lists them, gpuinfra "
            "destroy deletes them"
        )


def _warnings(outcome: Outcome) -> Iterator[str]:
    """What the program or a plugin warned of; those of no resource are the engine's own."""
    for one in outcome.diagnostics:
        if one.severity == "warning" and one.urn:
            yield one.message


def _sign(step: Step) -> str:
    return "✗" if step.failed else SIGNS.get(step.operation, "?")


def _row(step: Step) -> tuple[str, ...]:
    because = ", ".join(step.causes or step.differences)
    return (_sign(step), step.urn.rsplit("::", 1)[-1], step.type, because)


def summary(outcome: Outcome, target: str) -> str:
    """One line: the verb, the target, the counts, the time, and why it ended."""
    counts = ", ".join(f"{count} {name}" for name, count in outcome.changes.items() if count)
    told = outcome.refusals or outcome.findings
    why = f": {clean(outcome.reason)}" if outcome.reason and not told else ""
    unchanged = "no changes" if outcome.ok and outcome.unchanged else counts or "nothing done"
    ending = "" if outcome.ok else f" {outcome.ending}"
    return f"{outcome.verb} [{target}]{ending}: {unchanged} in {outcome.seconds:.1f} s{why}"
