"""Everything in the stack has a known price."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.rules.rule import Finding, Judged, Rule, fine, not_knowable, violated


def check(judged: Judged, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Name each thing that no price row covers, or whose quantity can't be known yet."""
    quote, subject = judged.quote, judged.plan.name
    if quote is None:
        yield not_knowable(subject, "nobody priced this plan")
        return
    if not quote.unpriced:
        own = dict.fromkeys(line.item for line in quote.lines if line.origin == "user")
        yours = f"; yours: {', '.join(own)}" if own else ""
        yield fine(subject, f"every price is known{yours}")
    owners = {f"{line.group or line.name}: {line.note}": line.subject for line in quote.lines}
    for words in quote.unpriced:
        yield violated(owners.get(words, subject), words)


RULE = Rule(
    id="price-unknown",
    family="budget",
    title="Every price is known",
    why="What has no price would count as nothing, and any cap would let it through.",
    fix="use what the tables know, or list the resource type under prices: {not_counted: […]}",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    check=check,
    firm=True,
    alone=True,
)
