"""A network is refused in zones that do not offer its machines, before anything stands."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpuinfra.errors import InputError
from gpuinfra.graph import ComputedValue, Lookup, ResourceGraph
from gpuinfra.planning import choices, stack_graph
from gpuinfra.stackfile import loads

SUBNET = "aws:ec2/subnet:Subnet"
HEAD = """\
version: 1
name: lab
owner: ml-platform
where: {cloud: aws, regions: [us-east-1]}
"""
TRAINER = f"{HEAD}training: {{t: {{instance: p5.48xlarge, nodes: 2}}}}\n"
POOL = f"""{HEAD}
inference:
  p:
    instance: g6.xlarge
    mixed: [g5.xlarge]
    replicas: 2..4
    image: example/chat:1
    port: 80
    scale_on: {{gpu_utilization: 70%}}
"""


def graph(text: str) -> ResourceGraph:
    stack = loads(text).stack
    return stack_graph(stack, choices(stack))


def subnets(text: str) -> Mapping[str, ComputedValue]:
    """The zones of a stack's subnets, by the subnets' keys."""
    zones = {
        resource.key: resource.inputs["availabilityZone"]
        for resource in graph(text).resources.values()
        if resource.type == SUBNET
    }
    assert all(isinstance(zone, ComputedValue) for zone in zones.values())
    return zones


def resolved(text: str, locations: Sequence[str]) -> set[Any]:
    return {subnet.function(locations) for subnet in subnets(text).values()}


@pytest.mark.parametrize(
    ("text", "locations", "zones"),
    [
        (TRAINER, ["us-east-1a"], {"us-east-1a"}),
        (TRAINER, ["us-east-1f", "us-east-1a"], {"us-east-1a"}),
        (POOL, ["us-east-1a", "us-east-1b", "us-east-1b"], {"us-east-1a", "us-east-1b"}),
        # A load balancer takes two zones, and machines stand in the one that has them.
        (POOL, ["us-east-1b"], {"us-east-1a", "us-east-1b"}),
    ],
)
def test_zones_that_offer_the_machines_are_taken(
    text: str, locations: list[str], zones: set[str]
) -> None:
    assert resolved(text, locations) == zones


@pytest.mark.parametrize(
    ("text", "locations", "message", "fix"),
    [
        (
            TRAINER,
            ["us-east-1f", "us-east-1c"],
            "t: this account has no p5.48xlarge in us-east-1a",
            "set zones: [us-east-1c] under where",
        ),
        (
            TRAINER,
            [],
            "t: this account has no p5.48xlarge in us-east-1a",
            "allow another region under where.regions",
        ),
        (
            POOL,
            ["us-east-1b", "us-east-1c", "us-east-1d"],
            "p: this account has no g6.xlarge or g5.xlarge in us-east-1a",
            "set zones: [us-east-1b, us-east-1c] under where",
        ),
    ],
)
def test_zones_that_do_not_are_refused(
    text: str, locations: list[str], message: str, fix: str
) -> None:
    for zone in subnets(text).values():
        with pytest.raises(InputError) as refused:
            zone.function(locations)
        (problem,) = refused.value.problems
        assert (problem.message, problem.fix) == (message, fix)


def test_aws_is_asked_for_every_type_of_a_pool() -> None:
    (query,) = {str(subnet.arguments[0].arguments) for subnet in subnets(POOL).values()}
    (lookup,) = next(iter(subnets(POOL).values())).arguments

    assert isinstance(lookup, Lookup)
    assert lookup.arguments["filters"] == [
        {"name": "instance-type", "values": ["g6.xlarge", "g5.xlarge"]}
    ]
    assert (lookup.arguments["region"], lookup.output) == ("us-east-1", "locations")
    assert "availability-zone" in query


@pytest.mark.parametrize("text", [TRAINER, POOL])
def test_a_reader_judges_the_zones_before_they_are_asked_for(text: str) -> None:
    assert {subnet.known_value for subnet in subnets(text).values()} <= {
        "us-east-1a",
        "us-east-1b",
    }
