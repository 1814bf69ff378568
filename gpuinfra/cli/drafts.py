"""The cost and the check of a draft stack file before it is written."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.errors import InputError, RefusedError
from gpuinfra.records import record
from gpuinfra.stackfile import FILE_NAME
from gpuinfra.stackfile.starter import SHORT_FILES
from gpuinfra.units import HOURS_PER_MONTH, format_count, format_money, plain

if TYPE_CHECKING:
    from gpuinfra.api import PlanResult
    from gpuinfra.cost import Quote
    from gpuinfra.cost.quote import Span
    from gpuinfra.model import Caps, Group
    from gpuinfra.rules import Verdict
    from gpuinfra.rules.rule import Finding

T = TypeVar("T")

DEFAULT_LOCATION = "configured"
"""The location of a draft without a region: the configured one, else the default."""

NO_CAP_BUDGET = "budget: {per_hour: 100000}\n"
"""A budget of a file whose quote is not known yet."""


def with_caps(folder: Path, text: Callable[[str, bool], str]) -> str:
    """Return the text with caps a little above the maximum cost of its quote.

    Args:
        folder: where it will be written.
        text: makes it of the lines of its budget, and of whether its machines take idle_stop.

    Raises:
        InputError: the machine is unknown, or not sold there.
    """
    draft = text(NO_CAP_BUDGET, False)
    plan, quote = _plan_and_quote(folder, draft)
    stops_idle = _takes_idle_stop(plan.groups[0])
    last_draft = text(NO_CAP_BUDGET, stops_idle)
    if last_draft != draft:
        plan, quote = _plan_and_quote(folder, last_draft)
    return text(_budget(plan, quote), stops_idle)


def _takes_idle_stop(group: "Group") -> bool:
    """Return whether the machines of a group take idle_stop."""
    provider = provider_of(group.cloud)
    machine = provider.machines.get(group.rung.machine)
    is_measured = machine is None or provider.accepts.measures_gpu_use(machine)
    return is_measured and accepts(group.cloud, "idle_stop")


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
        machines: for each workload: which they are, how many are counted, and the price of one.
        totals: the maximum cost, and the cost with pools at their minimum.
        expected: the expected cost, if machines are on spot; else empty.
        per_month: the same of a month, in US dollars.
        doubled: outdated prices that count twice are seen in the caps of a short file.
        caps: of the file, as text.
        warnings: the warnings.
    """

    machines: tuple[str, ...]
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
        machines=tuple(_machines_text(group, checked.quote) for group in checked.plan.groups),
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


def _machines_text(group: "Group", quote: "Quote") -> str:
    """Return the machines of a workload, how they are bought and where, and the price of one."""
    from gpuinfra.rules.machine_counts import machines_counted  # noqa: PLC0415

    rates = [rung.node_rate for rung in quote.rungs if rung.group == group.name]
    known_rates = [rate for rate in rates if rate is not None]
    options = dict.fromkeys(rung.capacity for rung in group.rungs)
    bound = "at most " if "spot" in options else ""
    is_known = len(known_rates) == len(rates)
    price = f"{bound}{format_money(max(known_rates))}/h" if is_known else "price unknown"
    is_fixed = group.minimum == group.maximum
    count = f"{group.maximum} × " if is_fixed and group.maximum != 1 else ""
    each = "" if is_fixed and group.maximum == 1 else " each"
    counted = f"; counts at {machines_counted(group)}, and what is around them"
    return (
        f"{group.name}: {count}{_type_text(group)}, {', then '.join(options)}, {price}{each}"
        f"{'' if is_fixed else counted}"
    )


def _type_text(group: "Group") -> str:
    """Return the machine type of a workload with its GPUs, and where it is."""
    machine = provider_of(group.cloud).machines.get(group.rung.machine)
    gpus = "" if machine is None else f" ({plain(machine.gpu_count)} × {machine.gpu})"
    return f"{group.rung.machine}{gpus}, {group.cloud} {group.rung.region}"


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

    refusing = [finding for finding in verdict.findings if finding.refuses]
    if refusing:
        # what is unknown is mostly so because of what is violated
        violated = [finding for finding in refusing if finding.outcome == "violated"]
        reasons = "; ".join(map(_finding_text, violated or refusing))
        raise RefusedError(f"the drafted stack file fails the check: {reasons}")
    return [
        _finding_text(finding) for finding in verdict.findings if finding.outcome in ACTION_NEEDED
    ]


def _finding_text(finding: "Finding") -> str:
    return f"{finding.rule}: {finding.message}; {finding.fix}"


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
