"""Resources of programs that are judged, and the fixes proposed for them."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gpuinfra import cost, planning, rules
from gpuinfra.catalog import CATALOG
from gpuinfra.fixes.resource_fixes import propose_resource_fixes
from gpuinfra.model import Caps, Plan
from tests.rules.cases import aws_faults as aws
from tests.rules.cases.cluster import cluster

DAY = date(2026, 11, 21)
CAPS = Caps(per_hour=Decimal(1000))


@dataclass(frozen=True)
class Judged:
    plan: Plan
    quote: cost.Quote
    verdict: rules.Verdict


def judge(resources, caps=CAPS):
    plan = planning.from_resources(resources, name="foreign", caps=caps)
    quote = cost.estimate(plan, cost.PricingTerms(as_of=DAY, accept_outdated=True))
    return Judged(plan, quote, rules.judge(plan, quote, {}, (), DAY))


def proposed(resources, caps=CAPS, *, thorough=True):
    before = judge(resources, caps)
    return propose_resource_fixes(
        resources, lambda plan: judge(plan, caps), before, CATALOG, thorough=thorough
    )


def of_aws(rule):
    case = cluster()
    aws.BROKEN[rule][0](case)
    return case.program
