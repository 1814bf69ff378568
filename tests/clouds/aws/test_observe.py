"""Which resources of AWS are judged at all, in which region, beside which budget."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import TYPES, Index, groups_and_items, observe
from gpuinfra.clouds.aws.observe.resource_types import UNPRICED_TYPES
from gpuinfra.clouds.aws.tables import PRICES
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases import stacks
from tests.rules.cases.cluster import cluster
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


@pytest.mark.parametrize(
    ("inputs", "limit"),
    [
        ({"limitAmount": "500"}, Decimal(500)),
        ({"limitAmount": UNKNOWN}, UNKNOWN),
        ({"limitAmount": "500", "limitUnit": "EUR"}, UNKNOWN),
        ({"limitAmount": "500", "timeUnit": "ANNUALLY"}, None),
    ],
    ids=["monthly", "unknown", "euros", "yearly"],
)
def test_the_budget_in_the_cloud(inputs, limit):
    program = Program()
    whole = {"includeCredit": False, "includeRefund": False}
    common = {"budgetType": "COST", "timeUnit": "MONTHLY", "costTypes": whole}
    program.add("aws:budgets/budget:Budget", "b", **{**common, **inputs})
    assert observe(program.resources()).cloud_budget == limit


def test_what_no_table_knows_is_counted_and_components_are_not():
    program = Program()
    program.add("pulumi:pulumi:Stack", "shop-dev")
    program.add("pulumi:providers:aws", "east")
    for token in (
        "aws:rds/instance:Instance",
        "random:index/randomPassword:RandomPassword",
        "aws-native:ec2:Instance",
        "pulumi-python:dynamic:Resource",
    ):
        program.add(token, "thing")
    ours = Resource(urn="u", type="acme:infra:Cluster", name="ours", inputs={}, custom=False)
    seen = observe([*program.resources("preview"), ours])
    assert [row.type for row in seen.not_judged] == [
        "aws:rds/instance:Instance",
        "random:index/randomPassword:RandomPassword",
        "aws-native:ec2:Instance",
        "pulumi-python:dynamic:Resource",
    ]
    assert [(row.reason, row.may_start_machines) for row in seen.not_judged] == [
        ("it is a database on servers of its own, whose price is unknown", True),
        ("a text or a number that the program makes", False),
        ("no table has this type of the package aws-native, so it may start machines", True),
        ("code of the program creates it, which may start machines", True),
    ]


@pytest.mark.parametrize("token", ["eks:index:ManagedNodeGroup", "awsx:ec2:Vpc"])
def test_a_component_of_a_plugin_that_did_not_run_names_the_way_out(token):
    (row,) = observe([Resource(urn="u", type=token, name="c", inputs={})]).not_judged

    assert row.may_start_machines
    assert "pulumi preview --json --show-sames" in row.reason


@pytest.mark.parametrize(
    "token",
    ["runpod:index:Pod", "gpuinfra:index:Pod", "pulumi:gpu:Pod", "pulumiservice:index:Pod"],
)
def test_a_custom_resource_is_no_component_whatever_its_type_looks_like(token):
    thing = Resource(urn="u", type=token, name="d", inputs={"gpuCount": 8})
    assert [row.type for row in observe([thing]).not_judged] == [token]


def test_the_engine_s_own_resources_cost_nothing():
    stash = Resource(
        urn="u", type="pulumi:index:Stash", name="s", inputs={}, outputs={"id": "stash"}
    )
    assert observe([stash]).not_judged == ()


def test_types_that_only_state_facts_are_free_by_a_sourced_row():
    assert [token for token in UNPRICED_TYPES if PRICES.free_type_row(token) is None] == []
    assert "aws:autoscaling/group:Group" in TYPES


@pytest.mark.parametrize(
    ("region", "inputs", "expected"),
    [
        (None, {"region": "eu-north-1"}, "eu-north-1"),
        ("us-west-2", {}, "us-west-2"),
        (None, {"availabilityZone": "us-east-1-atl-2a"}, "us-east-1-atl-2"),
        (None, {"availabilityZone": "us-gov-west-1b"}, "us-gov-west-1"),
        (None, {}, "unknown"),
    ],
    ids=["own", "provider", "local zone", "gov", "nowhere"],
)
def test_the_region_of_a_machine(region, inputs, expected):
    program = Program(region=region)
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge", **inputs)
    resources = [
        Resource(urn=r.urn, type=r.type, name=r.name, inputs=r.inputs, region=r.region)
        for r in program.resources()
    ]
    assert observe(resources).groups[0].rung.region == expected


def test_an_arn_tells_the_region_when_nothing_else_does():
    program = Program(region=None)
    program.add("aws:ec2/instance:Instance", "m", instanceType="g6.xlarge")
    assert observe(program.resources()).groups[0].rung.region == "us-east-1"


@both
@pytest.mark.parametrize(
    "make",
    [stacks.mixed_pool, stacks.open_machine, stacks.network, lambda: cluster().program],
    ids=["pool", "machine", "network", "cluster"],
)
def test_one_resource_at_a_time_adds_up_to_the_whole(moment, make):
    resources = make().resources(moment)
    whole = observe(resources)
    known = Index()
    groups, items, missing = [], [], []
    for resource in resources:
        known.add(resource)
        seen = groups_and_items(resource, known)
        groups += seen.groups
        items += seen.items
        missing += seen.not_judged
    assert [(g.machines, g.rung, g.maximum) for g in groups] == [
        (g.machines, g.rung, g.maximum) for g in whole.groups
    ]
    assert tuple(items) == whole.items
    assert tuple(missing) == whole.not_judged
