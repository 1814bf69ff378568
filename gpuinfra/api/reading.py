"""Load, plan, quote and check a SOURCE: a stack file, or what Pulumi wrote; offline."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from gpuinfra import source as sources
from gpuinfra.api import checking
from gpuinfra.api.results import CheckResult
from gpuinfra.api.source_kinds import is_pulumi_file, not_with_stack_file, rung_not_accepted
from gpuinfra.cost import Quote
from gpuinfra.cost.quote import RungQuote
from gpuinfra.errors import InputError
from gpuinfra.model import Bucket, Group, Plan
from gpuinfra.source import Source
from gpuinfra.today import today

if TYPE_CHECKING:
    from gpuinfra.graph import ResourceGraph

EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class PlanResult:
    """A stack file's plan, and the resources that it declares.

    Attributes:
        source: the stack file and what lies beside it.
        plan: machines, buckets and what else is priced.
        rungs: every rung of every ladder, with its price; struck where a cap forbids it.
    """

    source: Source
    plan: Plan
    rungs: tuple[RungQuote, ...]

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of machines, one for each workload."""
        return self.plan.groups

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """The buckets."""
        return self.plan.buckets

    @cached_property
    def resources(self) -> "ResourceGraph":
        """Every resource that an up creates, in order of creation."""
        from gpuinfra.planning import stack_graph  # noqa: PLC0415  (most readers of a plan need none)

        return stack_graph(self.source.stack, self.plan)


def load(path: Path | str = ".", *, as_of: date | None = None) -> Source:
    """Read a stack file, or that of a folder, with the prices and the lock beside it.

    Args:
        path: the stack file or its folder.
        as_of: the day for which own prices hold, by default today.

    Raises:
        InputError: all problems of the files, with their places.
    """
    return sources.read_for_comparison(path, day_of(as_of))


def plan(
    source: Source | Path | str = ".",
    *,
    as_of: date | None = None,
    rungs: Mapping[str, str] = EMPTY,
) -> PlanResult:
    """Plan a stack file: machines, ladders, fabric, storage, and the resources to create.

    Args:
        source: a stack file, its folder, or a loaded source.
        as_of: the day prices are judged for, by default today.
        rungs: rungs of the ladder by workload, for example {"trainer": "on-demand"}.

    Raises:
        InputError: all problems of the file and of its plan, with their places.
        RefusedError: the lock does not match.
    """
    read, planned_stack, priced = _plan_and_quote(source, as_of, rungs)
    return PlanResult(source=read, plan=planned_stack, rungs=priced.rungs)


def quote(
    source: Source | Path | str = ".",
    *,
    as_of: date | None = None,
    rungs: Mapping[str, str] = EMPTY,
) -> Quote:
    """Price a stack file per hour, month and run, line by line, each with source and date.

    Args:
        source: a stack file, its folder, or a loaded source.
        as_of: the day prices are judged for, by default today.
        rungs: rungs of the ladder by workload, for example {"trainer": "on-demand"}.

    Raises:
        InputError: all problems of the file and of its plan, with their places.
        RefusedError: the lock does not match.
    """
    return _plan_and_quote(source, as_of, rungs)[2]


def check(
    source: Source | Path | str = ".",
    *,
    as_of: date | None = None,
    rungs: Mapping[str, str] = EMPTY,
    settings: Path | str | None = None,
    stack: Path | str | None = None,
    waivers: Path | str | None = None,
) -> CheckResult:
    """Judge a stack file, or a Pulumi preview or state, by every rule; offline.

    Args:
        source: a stack file, its folder, a loaded source, or a file that
            `pulumi preview --json --show-sames` or `pulumi stack export` wrote.
        as_of: the day prices and waivers are judged for, by default today.
        rungs: for a stack file: rungs of the ladder by workload.
        settings: for a preview or a state: YAML with budget, prices, usage, rules, waivers.
        stack: for a preview or a state: the stack file that says these.
        waivers: for a preview or a state: the file of waivers, by default
            `gpuinfra.waivers.yaml` beside it.

    Returns:
        A `StackCheck`, or a `PulumiCheck` of a preview or a state.

    Raises:
        InputError: all problems of the files, with their places.
        RefusedError: the lock does not match.
    """
    arguments = {"settings": settings, "stack": stack, "waivers": waivers}
    if isinstance(source, Source) or not is_pulumi_file(Path(source)):
        wrong = [not_with_stack_file(name, value) for name, value in arguments.items() if value]
        if wrong:
            raise InputError(wrong)
        return checking.check_stack(source, dict(rungs), day_of(as_of))
    if rungs:
        raise InputError([rung_not_accepted(dict(rungs), "pass no rungs")])
    from gpuinfra.api import check_settings, pulumi_files  # noqa: PLC0415  (a stack file: neither)

    path, day = Path(source), day_of(as_of)
    files = {name: Path(value) if value else None for name, value in arguments.items()}
    file_settings = check_settings.read_for(path, **files, day=day)
    return pulumi_files.check_file(path, file_settings, day)


def _plan_and_quote(
    source: Source | Path | str, as_of: date | None, rungs: Mapping[str, str]
) -> tuple[Source, Plan, Quote]:
    """Plan and price a stack file without judging it."""
    rungs_by_workload, day = dict(rungs), day_of(as_of)
    read, planned_stack = checking.plan_stack(source, rungs_by_workload, day)
    return read, *checking.price(read, planned_stack, rungs_by_workload, day)


def day_of(as_of: date | None) -> date:
    """Return the named day, by default today."""
    return as_of or today()
