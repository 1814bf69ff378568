"""`gpuinfra cost --compare A B` and `--diff [REV]`: the choice of the two quotes."""

from collections.abc import Callable
from pathlib import Path

import click

from gpuinfra import lock
from gpuinfra.api.checking import StackCheck
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cli.options import Command, Detail
from gpuinfra.cli.views import compare
from gpuinfra.cost import compare as comparing
from gpuinfra.cost.cost_rate_changes import REST_LABEL, CostMovement, movement
from gpuinfra.errors import InputError, Problem
from gpuinfra.stackfile import StackDocument

LOCK = ""
"""The value of --diff without a revision: compare with the lock."""


def compare_options(command: Command) -> Command:
    """Add --compare and --diff."""
    command = click.option(
        "--diff",
        "--base",
        "revision",
        is_flag=False,
        flag_value=LOCK,
        default=None,
        metavar="[REV|FILE]",
        help="Show what changed since a git revision or another stack file; without one, since "
        "gpuinfra.lock.",
    )(command)
    return click.option(
        "--compare",
        "pair",
        nargs=2,
        type=click.Path(path_type=Path),
        default=None,
        metavar="BEFORE AFTER",
        help="Show what changes from one stack file to another.",
    )(command)


def differences(
    source: Path,
    format_: str,
    read: Callable[..., StackCheck],
    *,
    before_and_after: tuple[Path, Path] | None,
    revision: str | None,
    detail: Detail,
) -> StackCheck | None:
    """Show the difference of two quotes; return the later stack, or None without an option.

    `read` loads a stack file, given the path and how to take its lock.

    Raises:
        InputError: one of them can't be read, or there is nothing to compare with.
    """
    if before_and_after is not None and revision is not None:
        raise click.UsageError("--compare and --diff can't be combined")
    if before_and_after is not None and source != Path():
        raise click.UsageError(f"--compare names both files itself; remove {source}")
    if before_and_after is not None:
        earlier, later_summary = (read(path, lock="silent") for path in before_and_after)
        earlier_summary: comparing.CostSummary = earlier.quote
    elif revision is not None:
        earlier_summary, later_summary = _quote_at_revision(source, revision, read)
    else:
        return None
    comparison = comparing.compare(earlier_summary, later_summary.quote)
    rates = cost_movement_by_workload(earlier_summary, later_summary.quote, later_summary.document)
    compare.show(later_summary.stack.name, comparison, format_, rates, detail)
    return later_summary


def cost_movement_by_workload(
    earlier_summary: comparing.CostSummary,
    later_summary: comparing.CostSummary,
    document: StackDocument,
) -> CostMovement:
    """Return each workload's cost change; workloads not in `document` keep their names."""
    workload = workload_finder(document)

    def name_of(name: str) -> str:
        return name if workload(name) == REST_LABEL else workload(name)

    return movement(earlier_summary, later_summary, name_of)


def _quote_at_revision(
    source: Path, revision: str, read: Callable[..., StackCheck]
) -> tuple[comparing.CostSummary, StackCheck]:
    """Return the quote of a revision or of the lock, and the current stack.

    Against the lock, the frozen choices are made and priced again, so that drift shows.
    """
    from gpuinfra.cli.revision import checked_out  # noqa: PLC0415  (most quotes start no git)

    if revision == LOCK:
        current_summary = read(source, lock="ignore")
        existing_lock = lock.lock_of(current_summary.document.path)
        if existing_lock is None:
            raise InputError([_no_lock(source)])
        return existing_lock, current_summary
    if source == Path() and Path(revision).exists():
        raise click.UsageError(
            f"{revision} is a file or folder, and --diff takes a revision: use"
            f" gpuinfra cost {revision} --diff HEAD"
        )
    current_summary = read(source, lock="silent")
    if Path(revision).exists():
        return read(Path(revision), lock="silent").quote, current_summary
    with checked_out(current_summary.document.path, revision) as path:
        return read(path, lock="silent").quote, current_summary


def _no_lock(source: Path) -> Problem:
    return Problem(
        message=f"{source} has no gpuinfra.lock to compare with",
        fix="create one with `gpuinfra lock`, or use a git revision: --diff HEAD",
    )
