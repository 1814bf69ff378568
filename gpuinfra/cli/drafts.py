"""The cost and the check of a draft stack file before it is written."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.errors import InputError, RefusedError
from gpuinfra.records import record
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.starter import SHORT_FILES
from gpuinfra.units import HOURS_PER_MONTH, format_count, format_money

if TYPE_CHECKING:
    from gpuinfra.api import PlanResult
    from gpuinfra.cost import Quote
    from gpuinfra.cost.quote import Span
    from gpuinfra.model import Caps, Group
    from gpuinfra.rules import Verdict

T = TypeVar("T")

DEFAULT_LOCATION = "configured"
"""The location of a draft without a region: the configured one, else the default."""

NO_CAP_BUDGET = "budget: {per_hour: 100000}\n"
"""A budget of a file whose quote is not known yet."""


def with_caps(folder: Path, text: Callable[[str, str], str]) -> str:
    """Return the text with caps a little above the maximum cost of its quote.

    Args:
        folder: where it will be written.
        text: makes it of the lines of its budget, and of the cloud of its machines.

    Raises:
        InputError: the machine is unknown, or not sold there.
    """
    plan, _ = _plan_and_quote(folder, text(NO_CAP_BUDGET, ""))
    cloud = plan.groups[0].cloud
    return text(_budget(*_plan_and_quote(folder, text(NO_CAP_BUDGET, cloud))), cloud)


def _budget(plan: "PlanResult", quote: "Quote") -> str:
    """Return the budget lines of a stack file, with comments on the items they count."""
    from gpuinfra.cost.outdated_prices import are_negligible  # noqa: PLC0415
    from gpuinfra.cost.run_hours import month_hours  # noqa: PLC0415  (a pipeline needs no quote)
    from gpuinfra.rules.budget import suggested_cap  # noqa: PLC0415

    spans: list[Span] = ["per_hour", "per_month"]
    comments = []
    if quote.per_run is not None:
        spans.insert(1, "per_run")
        if any(month_hours(group) == HOURS_PER_MONTH for group in plan.groups):
            comments.append(
                f"# per_month has {HOURS_PER_MONTH} hours: machines run until gpuinfra destroy"
            )
    if quote.doubled and not are_negligible(quote):
        items = ", ".join(dict.fromkeys(line.item for line in quote.outdated))
        comments.append(f"# these caps leave room for outdated prices to double: {items}")
    caps = ", ".join(f"{span}: {suggested_cap(quote, span)}" for span in spans)
    return "".join(f"{line}\n" for line in (*comments, f"budget: {{{caps}}}"))


@record
class DraftCheck:
    """The result of a check of a draft stack file.

    Attributes:
        sizes: the number of machines that the cost counts, and the price of one, for each pool.
        totals: the maximum cost, and the cost with pools at their minimum.
        expected: the expected cost, if machines are on spot; else empty.
        per_month: the same of a month, in US dollars.
        doubled: outdated prices that count twice are seen in the caps of a short file.
        caps: of the file, as text.
        warnings: the warnings.
    """

    sizes: tuple[str, ...]
    totals: str
    expected: str
    per_month: Decimal
    doubled: bool
    caps: str
    warnings: tuple[str, ...]

    def caps_text(self, *, above: bool) -> str:
        """Return the caps of a new file as text; with `above`, they are derived from its cost."""
        origin = (
            ", with room for outdated prices to double"
            if self.doubled
            else ", 20 to 30% above the maximum cost"
        )
        return (
            f"caps written for you{origin if above else ''}; lower them to what you want to"
            f" spend: {self.caps}"
        )


def check_draft(folder: Path, text: str) -> DraftCheck:
    """Check a draft stack file for a folder and return the result.

    Raises:
        InputError: it can't be planned.
        RefusedError: the check fails.
    """
    from gpuinfra import api  # noqa: PLC0415
    from gpuinfra.cli.views.quote import expected_cost_line  # noqa: PLC0415
    from gpuinfra.cost.outdated_prices import are_negligible  # noqa: PLC0415
    from gpuinfra.report.summary import totals  # noqa: PLC0415

    checked = _read_draft(folder, text, api.check)
    pools = [group for group in checked.plan.groups if group.minimum != group.maximum]
    is_spot = any(line.kind == "spot" for line in checked.quote.lines)
    return DraftCheck(
        sizes=tuple(_pool_sizes(pools, checked.quote)),
        totals="; ".join((next(totals(checked.quote, None)), *_least_cost(pools, checked.quote))),
        expected=expected_cost_line(checked, full=False) if is_spot else "",
        per_month=checked.quote.per_month.ceiling,
        doubled=bool(checked.quote.doubled) and not are_negligible(checked.quote),
        caps=", ".join(_caps(checked.plan.caps)),
        warnings=tuple(_warnings(checked.verdict)),
    )


def _caps(caps: "Caps") -> Iterator[str]:
    """Yield each cap as text."""
    for span, cap in (("h", caps.per_hour), ("month", caps.per_month), ("run", caps.per_run)):
        if cap is not None:
            yield f"{format_money(cap)}/{span}"


def _pool_sizes(pools: "Sequence[Group]", quote: "Quote") -> Iterator[str]:
    """Yield how many machines the maximum cost counts of each pool, and the price of one."""
    from gpuinfra.rules.machine_counts import counted_at  # noqa: PLC0415

    for group in pools:
        rates = {rung.index: rung.node_rate for rung in quote.rungs if rung.group == group.name}
        rate = rates.get(quote.active_rungs[group.name])
        each = "" if rate is None else f": {format_money(rate)}/h each, and what is around them"
        for pool_note in counted_at([group]):
            yield f"{pool_note}{each}"


def _least_cost(pools: "Sequence[Group]", quote: "Quote") -> Iterator[str]:
    """Yield the cost while pools have their minimum of machines."""
    hour, month = quote.per_hour.minimum, quote.per_month.minimum
    if pools and hour is not None and month is not None:
        sizes = ", ".join(format_count(str(group.minimum), "machine") for group in pools)
        yield f"{format_money(hour)}/h, {format_money(month)}/month with {sizes}"


def gpu_count(folder: Path, text: str) -> Decimal | None:
    """Return the GPUs per machine of the first workload; None if no table has them.

    Raises:
        InputError: it can't be planned.
    """
    plan, _ = _plan_and_quote(folder, text)
    group = plan.groups[0]
    machine = provider_of(group.cloud).machines.get(group.rung.machine)
    return None if machine is None else machine.gpu_count


def _warnings(verdict: "Verdict") -> list[str]:
    """Return the warnings of a check.

    Raises:
        RefusedError: it fails.
    """
    from gpuinfra.rules.verdict import ACTION_NEEDED  # noqa: PLC0415

    bad = [
        f"{finding.rule}: {finding.message}; {finding.fix}"
        for finding in verdict.findings
        if finding.outcome in ACTION_NEEDED
    ]
    if not verdict.ok:
        raise RefusedError(f"the drafted stack file fails the check: {'; '.join(bad)}")
    return bad


def _warning_count(folder: Path, text: Callable[[], str]) -> int | None:
    """Return how many warnings a check gives; None if it fails or the file can't be planned."""
    try:
        return len(check_draft(folder, text()).warnings)
    except (InputError, RefusedError):
        return None


def suggested_gpu(folder: Path, kind: str, text: Callable[[str], str]) -> str:
    """Return the first suggested GPU with which a check passes; the first if none does.

    Args:
        folder: where the file will be written.
        kind: one of SHORT.
        text: makes it for GPUs.
    """
    suggested = SHORT_FILES[kind][1]
    passing = (gpu for gpu in suggested if _warning_count(folder, partial(text, gpu)) is not None)
    return next(passing, suggested[0])


def best_cloud(folder: Path, text: Callable[[str], str]) -> str:
    """Return the cloud on which a file passes with the fewest warnings.

    A configured region decides instead.

    Args:
        folder: where the file will be written.
        text: makes it for a place.
    """
    if configured_regions():
        return DEFAULT_LOCATION
    warnings = {cloud: _warning_count(folder, partial(text, cloud)) for cloud in CLOUDS}
    passing = {cloud: count for cloud, count in warnings.items() if count is not None}
    return min(passing, key=lambda cloud: passing[cloud], default=DEFAULT_LOCATION)


def configured_regions() -> tuple[tuple[str, str], ...]:
    """Return the configured region of each cloud that has one, with where it is configured."""
    configured = (provider_of(cloud).regions.configured_region() for cloud in CLOUDS)
    return tuple(filter(None, configured))


def _plan_and_quote(folder: Path, text: str) -> "tuple[PlanResult, Quote]":
    """Return the plan and the quote of a draft stack file.

    Raises:
        InputError: it can't be planned.
    """
    from gpuinfra import api  # noqa: PLC0415

    def plan_and_quote(file: Path) -> "tuple[PlanResult, Quote]":
        source = api.load(file)
        return api.plan(source), api.quote(source)

    return _read_draft(folder, text, plan_and_quote)


def _read_draft(folder: Path, text: str, read: Callable[[Path], T]) -> T:
    """Return the result of `read` on a draft of a folder's stack file.

    Raises:
        InputError: it can't be planned; without places, as no file has them.
    """
    with TemporaryDirectory(prefix="gpuinfra-") as temporary_folder:
        draft_folder = Path(temporary_folder, folder.resolve().name)
        draft_folder.mkdir()
        file = draft_folder / FILE_NAME
        file.write_text(text, encoding="utf-8")
        try:
            return read(file)
        except InputError as error:
            raise InputError(
                [replace(problem, position=None) for problem in error.problems]
            ) from None
