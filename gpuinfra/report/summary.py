"""A report in a few lines: the fabric, the totals, and whether it passes."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.catalog.fact_age import days_of
from gpuinfra.cost import Line, Quote, Total
from gpuinfra.model import Caps
from gpuinfra.report.report import Report, ReportEntry, Weight, cut
from gpuinfra.rules import FabricVerdict, Finding
from gpuinfra.rules.verdict import ACTION_NEEDED
from gpuinfra.units import (
    HOURS_PER_MONTH,
    format_count,
    format_excess,
    format_expected,
    format_money,
    format_unit_price,
)


def ending(report: Report, *, merged: bool = False) -> str:
    """Return PASS or FAIL, as the exit code, with the numbers of errors and warnings.

    `merged` says that findings that say the same are shown together: then it says of how many
    kinds they are, too.
    """
    wrong = _failure_counts(report, merged=merged)
    verdict = ", ".join(("PASS" if report.ok else "FAIL", *wrong, *_waived_count(report)))
    return f"{verdict}; {report.stop_reason.text}" if report.stop_reason else verdict


def banner(report: Report) -> str:
    """Return the closing line: a fabric without RDMA, the rules with errors, and a missing cap."""
    errors = Counter(
        entry.finding.rule
        for entry in report.failing_findings
        if entry.weight == "error" and not entry.finding.is_deferred
    )
    rules = (
        f"{rule}{f' × {count}' if count > 1 else ''}{_CAPLESS.get(rule, '')}"
        for rule, count in errors.items()
    )
    fabrics = (
        f"; {cut(proof.name)}: {proof.answer_text}"
        for proof in report.fabric
        if proof.answer == "no" and not proof.is_chosen
    )
    failing = f"; failing rules: {', '.join(rules)}" if errors else ""
    return f"{ending(report)}{''.join(fabrics)}{failing}"


_CAPLESS: Final = {"no-cap": " (no cap is set)"}


_RESULTS: Final = (
    "with errors",
    "with warnings",
    "decided by the update",
    "waived",
    "noted",
    "passed",
    "not applicable",
)
"""The results of a rule, the worst first: that of its findings which is first here counts."""


def rule_counts_text(report: Report) -> str:
    """Return how many rules there are of each result: each rule counts once."""
    results: dict[str, int] = {}
    for entry in report.entries:
        rule = entry.finding.rule
        results[rule] = min(results.get(rule, len(_RESULTS)), _RESULTS.index(_result(entry)))
    counts = Counter(results.values())
    parts = (f"{counts[at]} {result}" for at, result in enumerate(_RESULTS) if counts[at])
    return f"Rules: {', '.join(parts)}"


def _result(entry: ReportEntry) -> str:
    """Return the result of a rule by one of its findings."""
    if entry.is_waived:
        return "waived"
    if entry.finding.is_deferred:
        return "decided by the update"
    if entry.finding.outcome in ACTION_NEEDED:
        return f"with {entry.weight}s"
    outcome = entry.finding.outcome
    return {"fine": "passed", "not-applicable": "not applicable"}.get(outcome, outcome)


def merge_key(finding: Finding) -> tuple[str, ...]:
    """Return the fields that findings share when they are merged into one."""
    return (finding.rule, finding.outcome, finding.message, finding.fix)


def _failure_counts(report: Report, *, merged: bool = False) -> Iterator[str]:
    """Yield the numbers of errors, of warnings, and of findings that the update decides."""
    entries = [entry for entry in report.failing_findings if not entry.finding.is_deferred]
    counts = Counter(entry.weight for entry in entries)
    kinds = Counter(
        weight for weight, _ in {(entry.weight, merge_key(entry.finding)) for entry in entries}
    )
    deferred_count = sum(finding.is_deferred for finding in report.verdict.findings)

    def count_text(weight: Weight) -> str:
        few = merged and 1 <= kinds[weight] < counts[weight]
        total_text = f" of {count_or_empty(kinds[weight], 'kind')}" if few else ""
        return f"{count_or_empty(counts[weight], weight)}{total_text}"

    parts = (
        count_text("error"),
        count_text("warning"),
        f"{deferred_count} decided by the update" if deferred_count else "",
    )
    yield from filter(None, parts)


def _waived_count(report: Report) -> Iterator[str]:
    if report.waived_findings:
        yield f"{len(report.waived_findings)} waived"


def fabric(proof: FabricVerdict, shown_fixes: Collection[str] = ()) -> str:
    """Return the verdict for a group without its name, and the reasons unless it is "yes".

    `shown_fixes` are the fixes of findings above it, which it does not repeat.
    """
    fabric_text = ", ".join(filter(None, (proof.answer_text, proof.speed_text)))
    if proof.answer == "yes":
        return fabric_text
    against = proof.unknown_facts or proof.reasons
    fabric_text += f"; {', '.join(against)}" if against else ""
    return "; ".join(filter(None, (fabric_text, proof.changes_text(shown_fixes))))


def totals(
    quote: Quote, caps: Caps | None, cost_flag: str = " (-v)", *, is_partial: bool = False
) -> Iterator[str]:
    """Yield the maximum cost beside its caps, then the usage-based charges not counted.

    `is_partial` says that only a part of the stack is in the quote.
    """
    caps = caps or Caps()
    spans = (
        ("h", quote.per_hour, caps.per_hour),
        ("month", quote.per_month, caps.per_month),
        ("run", quote.per_run, caps.per_run),
    )
    amounts = [
        _total(total, span, cap, quote.run_cost_kinds)
        for span, total, cap in spans
        if total is not None
    ]
    yield f"{'at least' if quote.unpriced or is_partial else 'at most'} {', '.join(amounts)}"
    bounded_items = {(line.item, line.region) for line in quote.bounded}
    notes = [
        f"{format_count(count, noun)} {omission}"
        for count, noun, omission in (
            (len(quote.unpriced), "price", "not known"),
            (len(bounded_items), "price", "counted at a bound"),
            (len(quote.rates), "usage-based charge", "not counted"),
        )
        if count
    ]
    yield from (f"{note}{cost_flag if note == notes[-1] else ''}" for note in notes)


def price_days(quote: Quote) -> tuple[str, str] | tuple[()]:
    """Return the oldest and the newest day of the prices that count; empty where none has one."""
    return day_range(line.as_of for line in quote.lines if line.status == "priced")


def day_range(dates: Iterable[str]) -> tuple[str, str] | tuple[()]:
    """Return the first and the last day of days and intervals; empty where none is known."""
    days = sorted(day for date in dates for day in days_of(date))
    return (days[0], days[-1]) if days else ()


def range_text(days: Iterable[str]) -> str:
    """Return the first and the last day as text; one day where they are the same."""
    return " to ".join(dict.fromkeys(days))


def expected_cost_text(total: Total) -> str:
    """Return the expected cost, or its upper bound; empty if neither is known."""
    return format_expected(total.expected, total.expected_at_most)


def spot_runs(quote: Quote) -> frozenset[str]:
    """Return the workloads with a run on spot, which expected figures count as uninterrupted."""
    return frozenset(
        line.group
        for line in quote.lines
        if line.group and line.kind == "spot" and line.per_run is not None
    )


def expected_name(quote: Quote) -> str:
    """Return the name of expected figures, which says where they count no interruptions."""
    return f"expected, {UNINTERRUPTED}" if spot_runs(quote) else "expected"


UNINTERRUPTED: Final = "without interruptions"


def expected_at_most(quote: Quote) -> str:
    """Return the upper bound of the expected cost; "unknown" if there is none."""
    most = [
        f"{format_money(total.expected_at_most)}/{span}"
        for span, total in (("h", quote.per_hour), ("month", quote.per_month))
        if total.expected_at_most is not None
    ]
    return f"at most {', '.join(most)}" if most else "unknown"


def expected_unknown(quote: Quote) -> str:
    """Return why the expected cost is unknown: missing prices or numbers of machines."""
    if quote.unpriced:
        is_one = len(quote.unpriced) == 1
        return "a price is not known" if is_one else "prices are not known"
    unknown = [line for line in quote.lines if line.expected_per_hour is None]
    notes = [line.note for line in unknown if line.per_hour]
    why = "; ".join(dict.fromkeys(filter(None, notes)))
    return why or "a spot price or a number of machines is unknown"


def _total(total: Total, span: str, cap: Decimal | None, in_a_run: str) -> str:
    period_text = f" for {in_a_run}" if span == "run" else ""
    if cap is not None and total.ceiling > cap:
        amount, limit = format_excess(total.ceiling, cap)
        return f"{amount}/{span}{period_text} (above the cap of {limit})"
    limit = f" (cap {format_money(cap)})" if cap else ""
    return f"{format_money(total.ceiling)}/{span}{period_text}{limit}"


def unit_text(unit: str) -> str:
    """Return a unit in words, with GiB for storage, which clouds bill in powers of two."""
    return _REQUESTS.get(unit) or unit.replace("GB-month", "GiB-month")


def rate_text(line: Line) -> str:
    """Return a line's price per unit; "unknown" without one."""
    rate = line.rate
    return "unknown" if rate is None else f"{format_unit_price(rate)} per {unit_text(line.unit)}"


def quantity(line: Line, quote: Quote) -> str:
    """Return the priced quantity: machines, other things by the hour, or amounts of a unit."""
    if line.quantity is None:
        return ""
    number = f"{line.quantity.quantize(_CENT).normalize():,f}"
    if any(line in rung.machines for rung in quote.rungs):
        return format_count(number, "machine")
    if line.unit == "hour":
        return number
    unit = unit_text(line.unit)
    return format_count(number, unit) if unit.endswith(_SPANS) else f"{number} {unit}"


def hours(per_hour: Decimal | None, per_month: Decimal | None) -> str:
    """Return the counted hours of a month in parentheses; empty for 730 or if unknown."""
    if not per_hour or per_month is None:
        return ""
    count = (per_month / per_hour).quantize(_CENT).normalize()
    return "" if count == HOURS_PER_MONTH else f" ({count:f} h a month)"


def month_words(quote: Quote) -> str:
    """Return a sentence on how many hours a month counts, and why."""
    if any(hours(line.per_hour, line.per_month) for line in quote.lines):
        return (
            f"A month counts {HOURS_PER_MONTH} hours; on a line with other hours in brackets, a "
            "time limit of the stack ends the machines by then."
        )
    return (
        f"A month counts {HOURS_PER_MONTH} hours: nothing in the stack ends its machines sooner."
    )


_REQUESTS: Final = {
    "1k-requests": "thousand requests",
    "10k-requests": "10,000 requests",
    "1m-requests": "million requests",
}

_CENT: Final = Decimal("0.01")

_SPANS: Final = ("month", "day", "hour", "second")
"""The ends of units that are plural after numbers; GB and others are not."""


def count_or_empty(count: int, content: str) -> str:
    """Return a count with its noun; empty for 0."""
    return format_count(count, content) if count else ""
