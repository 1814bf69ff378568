"""The cost of NAT gateways for small workloads, and how to avoid it."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from gpuinfra.clouds.supported_keys import accepts
from gpuinfra.cost import Line, Quote
from gpuinfra.model import Group, Plan
from gpuinfra.units import format_money
from gpuinfra.units.message_merging import of_each

MIN_NOTED_SHARE: Final = Decimal("0.05")
"""The minimum share of a workload's monthly cost for a note on its gateway."""

KINDS: Final = frozenset({"NAT gateway", "address"})


def gateways(plan: Plan, quote: Quote) -> Iterator[str]:
    """Yield a sentence on the workloads whose NAT gateway is a notable part of its month.

    A gateway that is billed by the hour, whether machines run or not. The one that workloads share
    belongs to none of them.
    """
    yield from of_each(_notable(plan, quote))


def _notable(plan: Plan, quote: Quote) -> Iterator[tuple[str, str]]:
    """Yield each workload with such a gateway, and the sentence on it."""
    for group in plan.groups if plan.from_file else ():
        month = _month(line for line in quote.lines if line.group == group.name)
        own = [line for line in quote.lines if _is_of_gateway(line, group)]
        cost = _month(own)
        if any(line.kind == "NAT gateway" for line in own) and cost >= MIN_NOTED_SHARE * month:
            billed = f"its NAT gateway and address cost {format_money(cost)} a month"
            until = "until gpuinfra destroy, also while no machine runs"
            yield group.name, f"{billed} {until}; {_way_out(group)}"


def _is_of_gateway(line: Line, group: Group) -> bool:
    """Return whether a line of a workload is of its gateway rather than of its machines."""
    hourly = line.unit == "hour" and line.status == "priced" and line.quantity == 1
    return line.group == group.name and line.kind in KINDS and hourly


def _way_out(group: Group) -> str:
    """Return how to avoid the gateway."""
    if accepts(group.cloud, "network"):
        return (
            "to do without: network: {vpc: vpc-…, subnets: [subnet-…]} uses yours, and "
            "network: {shared: true} has one for several workloads"
        )
    return "to do without: destroy it between runs, or give a component your own network"


def _month(lines: Iterable[Line]) -> Decimal:
    return sum((line.per_month or Decimal(0) for line in lines), Decimal(0))
