"""Settings of a machine that cost a share of its price."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import TODAY, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def group(machine="m6a.48xlarge", **template):
    program = Program()
    made = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "lt",
        imageId="ami-1",
        instanceType=machine,
        **template,
    )
    program.add(
        "aws:autoscaling/group:Group",
        "pool",
        maxSize=3,
        availabilityZones=["us-east-1a"],
        launchTemplate={"id": made.id},
    )
    return program


def lines(program, moment="created"):
    quote = estimate(of_resources(program.resources(moment)), PricingTerms(as_of=TODAY))
    return {line.kind: line for line in quote.lines if line.item == "m6a.48xlarge"}


@both
@pytest.mark.parametrize("spot", [None, {"marketType": "spot"}], ids=["on demand", "spot"])
def test_sev_snp_costs_a_tenth_of_the_on_demand_price_of_each_machine(moment, spot):
    program = group(cpuOptions={"amdSevSnp": "enabled"}, instanceMarketOptions=spot)
    priced = lines(program, moment)
    machines = priced["spot" if spot else "on-demand"]
    assert priced["fee"].per_hour == machines.per_hour * Decimal("0.1") > 0
    assert priced["fee"].quantity == Decimal("0.3")


@pytest.mark.parametrize(
    ("options", "fees"),
    [
        (None, 0),
        ({"coreCount": 2}, 0),
        ({"amdSevSnp": "disabled"}, 0),
        ({"amdSevSnp": UNKNOWN}, 1),
        (UNKNOWN, 1),
    ],
    ids=str,
)
def test_what_may_be_switched_on_is_counted(options, fees):
    items = observe(group(cpuOptions=options).resources()).items
    assert [item.item for item in items if item.kind == "fee"] == ["m6a.48xlarge"] * fees


def test_a_machine_without_a_price_has_no_fee_either():
    program = group("m6a.unheard", cpuOptions={"amdSevSnp": "enabled"})
    quote = estimate(of_resources(program.resources()), PricingTerms(as_of=TODAY))
    statuses = {line.status for line in quote.lines if line.item == "m6a.unheard"}
    assert statuses == {"unpriced"}
