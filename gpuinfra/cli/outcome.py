"""Showing a run of the engine: live while it works, and what it came to."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from gpuinfra.cli.render import clean, show_refusals, show_table
from gpuinfra.engine.contract import OnProgress, Outcome, Progress

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


def show_outcome(outcome: Outcome, target: str) -> None:
    """The steps, what the packs and the cloud said, the counts; always names the target."""
    show_table(
        ("", "resource", "type", "because of"),
        [
            (
                "✗" if step.failed else SIGNS.get(step.operation, "?"),
                step.urn.rsplit("::", 1)[-1],
                step.type,
                ", ".join(step.causes or step.differences),
            )
            for step in outcome.steps
            if step.operation not in QUIET
        ],
    ) if any(step.operation not in QUIET for step in outcome.steps) else None
    for finding in outcome.findings:
        click.secho(
            f"{'✗' if finding.level == 'mandatory' else '!'} {finding.pack}/{finding.policy}",
            fg="red" if finding.level == "mandatory" else "yellow",
            nl=False,
        )
        click.echo(f": {clean(finding.message)}")
    show_refusals(outcome.refusals)
    if not outcome.ok and not outcome.refusals and not outcome.findings:
        for diagnostic in outcome.diagnostics:
            if diagnostic.severity == "error":
                click.echo(clean(diagnostic.message), err=True)
    for left in outcome.work_left:
        click.echo(f"unfinished: {clean(left)}", err=True)
    click.secho(summary(outcome, target), fg="green" if outcome.ok else "red")


def summary(outcome: Outcome, target: str) -> str:
    """One line: the verb, the target, the counts, the time, and why it ended."""
    counts = ", ".join(f"{count} {name}" for name, count in outcome.changes.items() if count)
    why = f": {clean(outcome.reason)}" if outcome.reason else ""
    unchanged = "no changes" if outcome.ok and outcome.unchanged else counts or "nothing done"
    ending = "" if outcome.ok else f" {outcome.ending}"
    return f"{outcome.verb} [{target}]{ending}: {unchanged} in {outcome.seconds:.1f} s{why}"
