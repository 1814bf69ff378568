"""The cost of NAT gateways for small workloads, and how to avoid it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.cost import Line, Quote
from gpuinfra.cost.quote import add
from gpuinfra.model import Group, Plan
from gpuinfra.units import format_money
from gpuinfra.units.message_merging import list_in_words, names_by_value

MIN_NOTED_SHARE: Final = Decimal("0.05")
"""The minimum share of a workload's monthly cost for a note on its gateway."""

KINDS: Final = frozenset({"NAT gateway", "address"})


def gateways(plan: Plan, quote: Quote) -> Iterator[str]:
    """Yield what the NAT gateway costs where it is a notable part of a month, and how to avoid it.

    A gateway that is billed by the hour, whether machines run or not. The one that workloads share
    belongs to none of them.
    """
    gateways_by_text: dict[str, None] = {}
    for cost, names in names_by_value(
        (group.name, cost) for group, cost in _notable_costs(plan, quote)
    ):
        each = " of each of " if len(names) > 1 else " of "
        subject = (
            f"NAT gateway and address{each + list_in_words(names) if len(plan.groups) > 1 else ''}"
        )
        until = "until gpuinfra destroy, even with no machine"
        yield f"{subject}: {format_money(cost)} a month {until}"
    for group, _ in _notable_costs(plan, quote):
        gateways_by_text |= dict.fromkeys(_ways_out(group, several=len(plan.groups) > 1))
    yield from gateways_by_text


def _notable_costs(plan: Plan, quote: Quote) -> Iterator[tuple[Group, Decimal]]:
    """Yield each workload with such a gateway, and what that costs a month."""
    for group in plan.groups if plan.from_file else ():
        month = add(line for line in quote.lines if line.group == group.name).per_month
        own_lines = [line for line in quote.lines if _is_of_gateway(line, group)]
        cost = add(own_lines).per_month
        if (
            any(line.kind == "NAT gateway" for line in own_lines)
            and cost >= MIN_NOTED_SHARE * month
        ):
            yield group, cost


def _is_of_gateway(line: Line, group: Group) -> bool:
    """Return whether a line of a workload is of its gateway rather than of its machines."""
    is_hourly = line.unit == "hour" and line.status == "priced" and line.quantity == 1
    return line.group == group.name and line.kind in KINDS and is_hourly


def _ways_out(group: Group, *, several: bool) -> Iterator[str]:
    """Yield how to avoid the gateway; `several` says that workloads could share one."""
    yield "  to avoid it, use your network: network: {vpc: …, subnets: […]}"
    if several and accepts(group.cloud, "network.shared"):
        yield "  to have one for all workloads: network: {shared: true}"
