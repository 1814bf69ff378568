"""Machines are offered in the way in which they are bought."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.clouds import provider_of
from gpuinfra.model import NOWHERE, UNKNOWN
from gpuinfra.rules import market_offered
from gpuinfra.rules.spot_machines import required_purchase_modes
from tests.rules.cases import stacks
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program

MARKET = "market-offered"


@pytest.mark.parametrize(
    ("machine", "changes", "outcome", "words"),
    [
        ("g6.xlarge", {}, "fine", "offered on demand in us-east-1"),
        ("g6.xlarge", {"capacity": "spot"}, "fine", "offered on spot in us-east-1"),
        ("g6.xlarge", {"capacity": "reserved"}, "fine", "offered on demand in us-east-1"),
        (
            "g6.xlarge",
            {"capacity": "capacity-block"},
            "violated",
            "not offered in capacity blocks",
        ),
        ("p5.48xlarge", {"capacity": "capacity-block"}, "fine", "offered in capacity blocks"),
        ("g6.xlarge", {"region": "mars-1"}, "not-knowable", "g6.xlarge is offered in mars-1"),
        ("g6.xlarge", {"region": NOWHERE}, "not-knowable", "its region is not known"),
        ("t3.micro", {}, "not-applicable", "are unknown"),
        ("g6.xlarge", {"usage_classes": UNKNOWN}, "not-knowable", "the purchase option"),
        (
            "g6.xlarge",
            {"usage_classes": ("flex-start", "spot")},
            "fine",
            "offered by flex-start or on spot",
        ),
        (
            "g6.xlarge",
            {"usage_classes": ("flex-start",)},
            "violated",
            "is not offered by flex-start, only",
        ),
    ],
)
def test_a_machine_is_sold_in_the_way_in_which_it_is_asked_for(machine, changes, outcome, words):
    (finding,) = findings(plan(group(machine, **changes)), MARKET)
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message
    assert outcomes(plan(), MARKET) == ["not-applicable"]


def test_the_fix_names_the_options_in_which_it_is_offered():
    (finding,) = findings(plan(group("g6.xlarge", capacity="capacity-block")), MARKET)
    assert finding.fix == "buy g6.xlarge on demand or on spot, or use another machine type"


BLOCKS_ONLY = "p6e-gb200.36xlarge"


@pytest.mark.parametrize(
    ("capacity", "words"),
    [
        ("on-demand", f"{BLOCKS_ONLY} is not offered on demand, only in capacity blocks"),
        ("reserved", f"{BLOCKS_ONLY} is not offered on demand, only in capacity blocks"),
        ("spot", f"{BLOCKS_ONLY} is not offered on spot, only in capacity blocks"),
    ],
)
def test_what_is_sold_in_blocks_alone(capacity, words):
    (finding,) = findings(plan(group(BLOCKS_ONLY, capacity=capacity)), MARKET)
    assert (finding.outcome, finding.message) == ("violated", words)


@pytest.mark.parametrize(
    ("base", "share", "outcome"),
    [(0, 1, "fine"), (1, 1, "violated"), (0, "0.5", "violated"), (0, 0, "fine")],
)
def test_a_pool_of_both_kinds_needs_both_ways(base, share, outcome):
    # Three machines of Google Cloud are offered on spot and never on demand.
    machines = provider_of("gcp").machines.all_machines()
    only = next(
        machine for machine in machines if set(machine.usage_classes) == {"spot", "flex-start"}
    )
    pool = group(
        only.type,
        cloud="gcp",
        region=only.regions[0],
        capacity="spot",
        on_demand_base=base,
        spot_share_above_base=Decimal(share),
    )
    (finding,) = findings(plan(pool), MARKET)
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message.startswith(f"{only.type} is not offered on demand, only on spot or")


def test_where_no_table_says_how_it_is_sold_a_price_does(monkeypatch):
    machine = next(
        machine
        for machine in provider_of("azure").machines.all_machines()
        if not machine.usage_classes
    )
    region = "eastus"
    sold = (machine.type, region, "on-demand")
    prices = provider_of("azure").prices
    row = replace(next(prices.all_rows()), item=machine.type, region=region, mode="on-demand")
    monkeypatch.setattr(prices, "rows", lambda *key: (row,) if key == sold else ())
    for kept in ("_listed", "_ceilings", "_spot"):
        monkeypatch.setattr(CATALOG, kept, {})  # no later test sees what these rows come to
    given = {"cloud": "azure", "region": region}
    assert outcomes(plan(group(machine.type, **given)), MARKET) == ["fine"]
    either = group(machine.type, usage_classes=("on-demand", "reservation"), **given)
    assert outcomes(plan(either), MARKET) == ["fine"]
    (finding,) = findings(plan(group(machine.type, capacity="spot", **given)), MARKET)
    assert finding.outcome == "not-knowable"
    assert (
        finding.message == f"it is unknown whether {machine.type} is offered on spot in {region}"
    )


def test_one_of_several_types_that_is_not_sold_is_enough():
    both = group(
        "g6.xlarge", machines=("g6.xlarge", "t3.micro", "trn2u.48xlarge"), capacity="spot"
    )
    (finding,) = findings(plan(both), MARKET)
    assert finding.outcome == "violated"
    assert finding.message.startswith("trn2u.48xlarge is not offered on spot, only")


def test_a_type_that_no_table_has_is_not_fine_for_the_others():
    (finding,) = findings(plan(group("g6.xlarge", machines=("g6.xlarge", "x99.huge"))), MARKET)
    assert (finding.outcome, finding.message) == ("not-knowable", "unknown machine type x99.huge")


@pytest.mark.parametrize(
    ("cloud", "region", "machines"),
    [
        ("aws", "us-east-1", ("g6.xlarge", "t3.micro")),
        ("azure", "eastus", ("Standard_NC4as_T4_v3", "Standard_D8s_v5")),
    ],
)
def test_a_type_without_gpus_is_offered_where_it_has_a_price(cloud, region, machines):
    mixed = group(machines[0], cloud=cloud, region=region, machines=machines)
    assert outcomes(plan(mixed), MARKET) == ["fine"]


def test_every_way_of_the_tables_has_words():
    sold = {
        way
        for cloud in ("aws", "gcp", "azure")
        for machine in provider_of(cloud).machines.all_machines()
        for way in machine.usage_classes
    }
    assert sold == {*market_offered.SOLD_AS}


SPOT, ON_DEMAND = ("spot",), ("on-demand",)


@pytest.mark.parametrize(
    ("capacity", "base", "share", "modes"),
    [
        ("spot", 0, "0", (SPOT,)),
        ("spot", 0, "1", (SPOT,)),
        ("spot", 0, "0.5", (SPOT, ON_DEMAND)),
        ("spot", 1, "1", (SPOT, ON_DEMAND)),
        ("spot", 1, "0", (SPOT, ON_DEMAND)),
        ("on-demand", 0, "0.5", (ON_DEMAND,)),
        ("reserved", 0, "0", (ON_DEMAND,)),
    ],
)
def test_a_pool_of_both_kinds_needs_both_ways_to_buy(
    capacity: str, base: int, share: str, modes: tuple[tuple[str, ...], ...]
) -> None:
    judged = group(capacity=capacity, on_demand_base=base, spot_share_above_base=Decimal(share))

    assert required_purchase_modes(judged) == modes


GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.mark.parametrize("kind", ["EKS", "ASG", "fleet"])
def test_a_machine_that_is_not_sold_on_spot_is_named_for_every_kind(kind):
    program = Program()
    template = program.add(TEMPLATE, "node", instanceType="trn2u.48xlarge")
    if kind == "EKS":
        program.add(
            "aws:eks/nodeGroup:NodeGroup",
            "workers",
            capacityType="SPOT",
            scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
            launchTemplate={"id": template.id, "version": "1"},
        )
    elif kind == "ASG":
        program.add(
            GROUP,
            "workers",
            maxSize=1,
            mixedInstancesPolicy={
                "instancesDistribution": {"onDemandPercentageAboveBaseCapacity": 0},
                "launchTemplate": {
                    "launchTemplateSpecification": {"launchTemplateId": template.id}
                },
            },
        )
    else:
        program = stacks.fleet(
            {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 2},
            [{"instanceType": "trn2u.48xlarge"}],
        )
    (finding,) = findings(of_resources(program.resources()), "market-offered")
    assert finding.outcome == "violated"
    assert finding.message.startswith("trn2u.48xlarge is not offered on spot, only")
