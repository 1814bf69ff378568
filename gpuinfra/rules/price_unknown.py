"""Everything in the stack has a known price."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.catalog.price_book import BOUND_FACTOR
from gpuinfra.clouds import provider_of
from gpuinfra.cost.other_costs import NO_PRICE_PREFIX
from gpuinfra.cost.quote import Line
from gpuinfra.model import NOWHERE
from gpuinfra.rules.rule import Finding, Rule, RuleInput, fine, not_knowable, violated
from gpuinfra.similar_words import nearest


def check(rule_input: RuleInput, _: Mapping[str, Any]) -> Iterator[Finding]:
    """Report each item that has no price, or whose quantity is still unknown."""
    quote, subject = rule_input.quote, rule_input.plan.name
    if quote is None:
        yield not_knowable(subject, "no quote was made for this plan")
        return
    if quote.bounded:
        items = dict.fromkeys(f"{line.item} in {line.region}" for line in quote.bounded)
        text = f"counted at a bound, {BOUND_FACTOR} × the highest known price: {', '.join(items)}"
        yield violated(subject, text, fix=SERVICE_PRICE_FIX, level="advisory")
    elif not quote.unpriced and not quote.undecided:
        own_items = dict.fromkeys(line.item for line in quote.lines if line.origin == "user")
        own_prices_text = f"; your own prices: {', '.join(own_items)}" if own_items else ""
        yield fine(subject, f"every price is known{own_prices_text}")
    owners = {f"{line.group or line.name}: {line.note}": line for line in quote.lines}
    clouds = {group.name: group.cloud for group in rule_input.plan.groups}
    changes = {(row.subject, row.reason): row.fix for row in rule_input.plan.not_judged if row.fix}
    for text in quote.unpriced:
        line = owners.get(text)
        if line is None:
            yield violated(subject, text)
            continue
        finding = _unpriced_finding(line, text, clouds.get(line.group or ""))
        change = changes.get((line.subject, line.note.removeprefix(NO_PRICE_PREFIX)))
        yield replace(finding, fix=f"{change}; otherwise {finding.fix}") if change else finding
    for row in quote.undecided:
        message, fix = _without_fix(row.reason)
        yield not_knowable(row.subject, message, fix=fix)


def _without_fix(note: str) -> tuple[str, str]:
    """Return a note without the setting that it says to set, and the fix that sets it."""
    message, setting, value = note.rpartition(SETTING_START)
    return (message, f"set {value}") if setting and "; " not in value else (note, "")


def _unpriced_finding(line: Line, finding_text: str, cloud: str | None) -> Finding:
    """Return the finding for a line without a price; it names an unknown machine type."""
    ends_with_name = line.subject.endswith(line.group or line.name)
    message, fix = line.note if ends_with_name else finding_text, _fix_text(line, cloud)
    if not fix:
        message, fix = _without_fix(message)
    if cloud is None or not fix.startswith(MACHINE_PRICE_FIX) or _is_type(line.item, cloud):
        return violated(line.subject, message, fix=fix)
    family = _FAMILY.match(line.item)
    same_family = (type_ for type_ in _types(cloud) if family and type_.startswith(family[0]))
    suggestion = nearest(line.item, same_family)
    hint = f"; did you mean {suggestion}?" if suggestion else ""
    way = fix.removesuffix(NOT_COUNTED_NOTE)
    fix = (
        f"correct the machine type{f' to {suggestion}' if suggestion else ''}; if it exists, {way}"
    )
    message = f"{message}: no table of {cloud} has this machine type{hint}"
    return violated(line.subject, message, fix=fix)


def _is_type(item: str, cloud: str) -> bool:
    """Return whether a table lists a machine type, or the cloud explains why it has no price."""
    provider = provider_of(cloud)
    is_listed = provider.machines.get(item) is not None or provider.prices.cpu.is_in_table(item)
    return is_listed or bool(provider.why_unlisted(item))


def _types(cloud: str) -> tuple[str, ...]:
    """Return every machine type of a cloud's tables."""
    provider = provider_of(cloud)
    with_gpus = (machine.type for machine in provider.machines.all_machines())
    return tuple(dict.fromkeys((*with_gpus, *(row.item for row in provider.prices.cpu.all()))))


def _fix_text(line: Line, cloud: str | None) -> str:
    """Return the fix: exclude the type, set a region, or give a price for the machine."""
    if line.kind == "resource":
        return (
            f"add prices: {{not_counted: [{line.item}]}}, which excludes every {line.item} "
            "without a known price from the caps, GPU machines in it too"
        )
    if line.region == NOWHERE:
        return REGION_FIX
    services = provider_of(cloud).prices.service_items() if cloud else ()
    if cloud is None or line.item in services or f"price for {line.item} " not in line.note:
        return ""
    return (
        f"{MACHINE_PRICE_FIX}, next to the stack file or the settings file (--settings): prices: "
        f"[{{cloud: {cloud}, machine: {line.item}, region: {line.region}, per_hour: …}}]"
        f"{NOT_COUNTED_NOTE}"
    )


_FAMILY: Final = re.compile(r"(?:Standard_)?[A-Za-z]+")
"""The pattern of a machine type's family prefix."""
REGION_FIX: Final = (
    "set its region: in the provider of the program, or region: … in the file of --settings"
)
MACHINE_PRICE_FIX: Final = "add its price to prices.yaml"
SETTING_START: Final = ": set "
"""The start of the fix in a note on an input that the program does not state."""
NOT_COUNTED_NOTE: Final = "; not_counted does not apply to machines of a known type"
SERVICE_PRICE_FIX: Final = "add the prices to prices.yaml under services:"

RULE = Rule(
    id="price-unknown",
    family="budget",
    title="Every price is known",
    why="A resource without a price would count as zero, and any cap would pass.",
    fix="use resources with a known price; count services at an upper bound: set prices: "
    "{bound_unknown: true}; or list the resource type under prices: {not_counted: […]}",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    check=check,
    firm=True,
    alone=True,
    text_inputs=("policy", "inlinePolicies", "assumeRolePolicy", "definition"),
)
