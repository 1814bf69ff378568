"""Spot machines are of a type that is not interrupted too often."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from gpuinfra.clouds import provider_of
from gpuinfra.model import Group, Interruption
from gpuinfra.rules.rule import (
    Finding,
    Rule,
    RuleInput,
    Setting,
    fine,
    not_applicable,
    not_knowable,
    violated,
)
from gpuinfra.rules.spot_machines import uses_spot
from gpuinfra.units import format_share


def check(rule_input: RuleInput, settings: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the published interruption rate of each spot machine type with the limit."""
    maximum = settings["maximum"]
    groups = [group for group in rule_input.plan.groups if uses_spot(group)]
    if maximum is None or not groups:
        limit_text = "no limit is set" if maximum is None else "no group uses spot"
        yield not_applicable(rule_input.plan.name, limit_text)
        return
    for group in groups:
        yield _group(group, maximum)


def _group(group: Group, maximum: Decimal) -> Finding:
    region, types = group.rung.region, group.machines or (group.rung.machine,)
    published = {
        type_: provider_of(group.cloud).prices.interruption(type_, region) for type_ in types
    }
    rates = {
        type_: _rate_text(interruption)
        for type_, interruption in published.items()
        if interruption is not None
    }
    rates_text = ", ".join(f"{type_} {rate}" for type_, rate in rates.items())
    limit = f"allowed: {format_share(maximum)}"
    above_limit = [
        interruption
        for interruption in published.values()
        if interruption and (interruption.high is None or interruption.high > maximum)
    ]
    if above_limit:
        return violated(group.subject, f"monthly interruption rate: {rates_text}, {limit}")
    if len(rates) < len(published):
        unknown = ", ".join(type_ for type_ in published if type_ not in rates)
        return not_knowable(
            group.subject, f"the interruption rate of {unknown} in {region} is not published"
        )
    return fine(group.subject, f"monthly interruption rate: {rates_text}")


def _rate_text(rate: Interruption) -> str:
    if rate.high is None:
        return f"more than {format_share(rate.low)} ({rate.as_of})"
    return f"{format_share(rate.low)} to {format_share(rate.high)} ({rate.as_of})"


RULE = Rule(
    id="interruption-rate",
    family="spot",
    title="The spot interruption rate stays within the limit",
    why="A machine that is interrupted every few hours spends them restarting.",
    fix="choose another machine type or region, or buy on demand",
    source="https://aws.amazon.com/ec2/spot/instance-advisor/",
    check=check,
    alone=True,
    settings=(
        Setting(
            name="maximum",
            kind="share",
            default=None,
            why="highest accepted share of machines that the cloud interrupts in a month, "
            "as it publishes",
        ),
    ),
)
