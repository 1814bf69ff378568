"""The catalog's verdict on a claim: right, partly right, wrong, or not known."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Literal, Protocol

from gpuinfra.records import record

Outcome = Literal["right", "partly", "wrong", "unknown"]


@record
class ClaimVerdict:
    """The outcome, what the catalog has instead or besides, and which rows say so."""

    outcome: Outcome
    found: str
    source: str
    as_of: str


class Sourced(Protocol):
    """A row with a source and a date."""

    @property
    def source(self) -> str:
        """Where the row comes from."""
        ...

    @property
    def as_of(self) -> str:
        """The day, month, year or interval that it is of."""
        ...


def verdict_from(outcome: Outcome, facts: str, rows: Iterable[Sourced]) -> ClaimVerdict:
    """A verdict on rows: their sources once each, and the oldest and the newest date."""
    told = tuple(rows)
    dates = sorted({sourced.as_of for sourced in told})
    return ClaimVerdict(
        outcome=outcome,
        found=facts,
        source="; ".join(dict.fromkeys(sourced.source for sourced in told)),
        as_of=dates[0] if len(dates) == 1 else " … ".join((dates[0], dates[-1])) if dates else "",
    )


def unknown(reason: str) -> ClaimVerdict:
    """The verdict where no row of the catalog tells."""
    return ClaimVerdict(outcome="unknown", found=reason, source="", as_of="")


def share(inside: int, of: int) -> Outcome:
    """The outcome where some of several rows are as the claim says."""
    return "right" if inside == of else "partly" if inside else "wrong"


def plain(number: Decimal) -> str:
    """A number without trailing zeros or an exponent."""
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
