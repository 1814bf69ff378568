"""What cap rules share: a ceiling against its cap, failing closed, in words."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Literal

from gpuinfra.cost import Quote, Total
from gpuinfra.rules.rule import Finding, Judged, fine, not_applicable, not_knowable, violated
from gpuinfra.units import format_money

Span = Literal["hour", "month", "run"]


def of_stack(judged: Judged, span: Literal["hour", "month"]) -> Finding:
    """Compare what the whole stack may cost with its cap; the ceiling is on the rungs left."""
    caps = judged.plan.caps
    cap = {"hour": caps.per_hour, "month": caps.per_month}[span]
    subject = judged.plan.name
    if cap is None:
        return not_applicable(subject, f"no cap per {span}")
    if judged.quote is None:
        return not_knowable(subject, "nobody priced this plan")
    total = {"hour": judged.quote.per_hour, "month": judged.quote.per_month}[span]
    return compare(subject, total, span, cap, judged.quote)


def compare(
    subject: str, total: Total, span: Span, cap: Decimal, quote: Quote, group: str | None = None
) -> Finding:
    """Compare a total, of one group where it is named, with its cap.

    What has only a rate stands outside the cap and is named.
    """
    cost = f"{format_money(total.ceiling)} USD per {span}"
    limit = f"the cap of {format_money(cap)}"
    outside = _outside(quote, group)
    if total.ceiling > cap:
        return violated(subject, f"{cost}, above {limit}{_struck(quote)}{outside}")
    if quote.unpriced:
        return not_knowable(
            subject, f"at least {cost}; not known: {'; '.join(quote.unpriced)}{outside}"
        )
    return fine(subject, f"{cost}, within {limit}{outside}")


def _struck(quote: Quote) -> str:
    """Say which groups have no rung left."""
    groups = dict.fromkeys(rung.group for rung in quote.rungs)
    left = {rung.group for rung in quote.rungs if rung.struck is None}
    return _named("; no rung is left for", (name for name in groups if name not in left))


def _outside(quote: Quote, group: str | None) -> str:
    """Name what has a price and a quantity that nobody knows."""
    lines = (
        f"{line.item} of {line.group or line.name}"
        for line in quote.rates
        if group is None or line.group == group
    )
    return _named("; outside the cap, quantity unknown:", lines)


def _named(words: str, names: Iterable[str]) -> str:
    listed = ", ".join(dict.fromkeys(names))
    return f"{words} {listed}" if listed else ""
