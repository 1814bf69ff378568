"""Everything in the stack has a known price."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.clouds import provider_of
from gpuinfra.cost.quote import Line
from gpuinfra.model import NOWHERE
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
    owners = {f"{line.group or line.name}: {line.note}": line for line in quote.lines}
    clouds = {group.name: group.cloud for group in judged.plan.groups}
    for words in quote.unpriced:
        line = owners.get(words)
        if line is None:
            yield violated(subject, words)
            continue
        named = line.subject.endswith(line.group or line.name)
        fix = _way_out(line, clouds.get(line.group or ""))
        yield violated(line.subject, line.note if named else words, fix=fix)


def _way_out(line: Line, cloud: str | None) -> str:
    """What helps: to leave its type out, or for a machine a price of one's own."""
    if line.kind == "resource":
        return (
            f"prices: {{not_counted: [{line.item}]}} leaves it out of the caps, and every other"
            f" {line.item} without a known price, with GPU machines in it or not"
        )
    if line.region == NOWHERE:
        return (
            "say where it stands: the provider's region in the program, or region: … in the file"
            " of --settings"
        )
    services = provider_of(cloud).prices.service_items() if cloud else ()
    if cloud is None or line.item in services or f"price of {line.item} " not in line.note:
        return ""
    return (
        "write what it costs into prices.yaml, beside the stack file or the file of --settings:"
        f" prices: [{{cloud: {cloud}, machine: {line.item}, region: {line.region},"
        " per_hour: …}]; not_counted leaves out no machine whose type is known"
    )


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
