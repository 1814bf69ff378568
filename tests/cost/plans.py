"""Plans of a run and a pool at list prices, and their quotes on one day."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.model import Caps, Group, Item, Plan, Rung
from tests.rules.cases.grouped import grouped

TODAY = date(2026, 11, 21)
GIB_PRICE = Decimal("0.08")
NO_CAPS = Caps()

SPOT = Rung(
    capacity="spot",
    machine="p5.48xlarge",
    region="us-east-1",
    zones=("us-east-1a",),
    max_price=Decimal(40),
    spot_share_above_base=Decimal(1),
)
LIST = replace(SPOT, capacity="on-demand", max_price=None, spot_share_above_base=Decimal(0))
POOL = Rung(
    capacity="spot",
    machine="g6.xlarge",
    region="us-east-1",
    zones=("us-east-1a", "us-east-1b"),
    on_demand_base=1,
    spot_share_above_base=Decimal(1),
)


def group(name: str = "trainer", *rungs: Rung, **more: Any) -> Group:
    given = {
        "name": name,
        "subject": f"training.{name}",
        "purpose": "training",
        "cloud": "aws",
        "rungs": rungs or (SPOT, LIST),
        "minimum": 4,
        "maximum": 4,
        "hours": Decimal(72),
    }
    return grouped(**{**given, **more})


def pool(**more: Any) -> Group:
    given = {"purpose": "inference", "minimum": 1, "maximum": 20, "hours": None}
    return group("chat", POOL, **{**given, **more})


def item(key: str, quantity: Any, **more: Any) -> Item:
    given = {
        "name": key,
        "subject": key,
        "kind": "disk",
        "cloud": "aws",
        "item": key,
        "unit": "hour",
        "quantity": quantity,
    }
    return Item(**{**given, **more})


def plan(*groups: Group, caps: Caps = NO_CAPS, **more: Any) -> Plan:
    return Plan(name="s", owner="o", caps=caps, groups=groups, **more)


def quoted(of: Plan, **more: Any) -> Quote:
    return estimate(of, PricingTerms(as_of=TODAY, **more))
