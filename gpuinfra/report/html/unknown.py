"""The unknown facts about a SOURCE, with the missing input for each."""

from collections.abc import Iterator

from gpuinfra.cost import Quote
from gpuinfra.cost.line_names import line_name
from gpuinfra.model import UNKNOWN
from gpuinfra.records import record
from gpuinfra.report.html.content import PageContent
from gpuinfra.report.report import cut
from gpuinfra.report.run_words import unknown_cost, unknown_rate
from gpuinfra.report.summary import expected_at_most, expected_unknown, rate_text
from gpuinfra.rules.waivers import short_name


@record
class UnknownFact:
    """An unknown fact: its subject, and the missing input."""

    subject: str
    missing: str


def unknown_facts(content: PageContent) -> tuple[UnknownFact, ...]:
    """Return everything that is unknown, costs first."""
    return tuple(dict.fromkeys(_facts(content)))


@record
class UsageCharge:
    """A charge of unknown quantity: of what, for what, and its price per unit in words."""

    subject: str
    charge: str
    price: str


def usage_charges(quote: Quote | None) -> tuple[UsageCharge, ...]:
    """Return the charges that depend on use; none of them is in a total."""
    return tuple(
        dict.fromkeys(
            UsageCharge(
                subject=line.group or line.name,
                charge=line_name(line),
                price=rate_text(line),
            )
            for line in (quote.rates if quote is not None else ())
        )
    )


def _facts(content: PageContent) -> Iterator[UnknownFact]:
    quote = content.report.quote
    if quote is None:
        yield UnknownFact(subject="cost", missing="no quote was made")
    else:
        yield from _unknown_quote_facts(quote)
    for entry in content.report.failing_findings:
        if entry.finding.outcome == "not-knowable":
            subject = f"{entry.finding.rule}: {short_name(entry.subject)}"
            yield UnknownFact(subject=subject, missing=cut(entry.finding.message))
    for proof in content.report.fabric:
        for unknown_fact in proof.unknown_facts:
            yield UnknownFact(subject=f"fabric of {proof.name}", missing=unknown_fact)
    yield from _unknown_run_facts(content)
    for group in content.plan.groups:
        if UNKNOWN in (group.minimum, group.maximum):
            yield UnknownFact(subject=group.name, missing="the number of machines")
    for (kind, reason), count in content.report.not_judged_counts.items():
        yield UnknownFact(subject=f"{count} × {kind}", missing=f"not judged: {reason}")


def _unknown_quote_facts(quote: Quote) -> Iterator[UnknownFact]:
    for unpriced_item in quote.unpriced:
        yield UnknownFact(subject="price", missing=unpriced_item)
    if quote.per_hour.expected is None:
        missing = f"{expected_at_most(quote)}: {expected_unknown(quote)}"
        yield UnknownFact(subject="expected cost", missing=missing)


def _unknown_run_facts(content: PageContent) -> Iterator[UnknownFact]:
    for run in content.outlooks:
        modes = content.modes(run.group)
        if "spot" in modes and run.risk.counted_share is None:
            yield UnknownFact(subject=f"{run.group}, interruptions", missing=unknown_rate(run))
        if "spot" in modes and run.missing_key:
            yield UnknownFact(subject=f"{run.group}, interruptions", missing=unknown_cost(run))
        for option in run.options:
            if (
                option.mode in modes
                and (option.per_hour is None or option.bounded_by)
                and option.note
            ):
                yield UnknownFact(subject=f"{run.group} bought {option.mode}", missing=option.note)
    for choice in content.candidates:
        if choice.unknown:
            yield UnknownFact(subject=f"candidates for {choice.group}", missing=choice.unknown)
