"""Resources or rows through the real quote and the real judge."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from gpuinfra.cost import PricingTerms, Quote, estimate
from gpuinfra.model import Caps, Group, Plan, Resource, Rung, Usage
from gpuinfra.planning import from_resources
from gpuinfra.rules import Finding, Verdict, judge
from tests.rules.cases.grouped import grouped

TODAY = date(2026, 8, 1)
"""Twelve days after the list prices of us-east-1."""

RICH = Caps(per_hour=Decimal(100_000), per_month=Decimal(90_000_000))


def group(machine: str = "p5.48xlarge", **changes: Any) -> Group:
    """A training group on demand in us-east-1; a rung's fields may stand among the changes."""
    rung = {"capacity": "on-demand", "machine": machine, "region": "us-east-1", "zones": ()}
    of_rung = ("capacity", "region", "max_price", "on_demand_base", "spot_share_above_base")
    for key in (*of_rung, "placement_group"):
        if key in changes:
            rung[key] = changes.pop(key)
    fields = {
        "name": "trainer",
        "subject": "training.trainer",
        "purpose": "training",
        "cloud": "aws",
        "machines": (machine,),
        **changes,
    }
    return grouped(rungs=(Rung(**rung),), **fields)


def plan(*groups: Group, caps: Caps = RICH, **fields: Any) -> Plan:
    return Plan(name="shop", owner=None, caps=caps, groups=groups, **fields)


def of_resources(
    resources: Sequence[Resource], caps: Caps = RICH, usage: Usage | None = None
) -> Plan:
    return from_resources(resources, name="shop", caps=caps, usage=usage or Usage())


def quoted(judged: Plan, **pricing: Any) -> Quote:
    """The quote of a plan on TODAY."""
    return estimate(judged, PricingTerms(as_of=TODAY, **pricing))


def verdict(
    judged: Plan,
    settings: Mapping[str, Any] | None = None,
    waivers: Sequence[Any] = (),
    **pricing: Any,
) -> Verdict:
    return judge(judged, quoted(judged, **pricing), settings or {}, waivers, TODAY)


def findings(judged: Plan, rule: str, settings: Any = None, **pricing: Any) -> list[Finding]:
    given = {} if settings is None else {rule: settings}
    return [
        finding for finding in verdict(judged, given, **pricing).findings if finding.rule == rule
    ]


def outcomes(judged: Plan, rule: str, settings: Any = None, **pricing: Any) -> list[str]:
    return [finding.outcome for finding in findings(judged, rule, settings, **pricing)]
