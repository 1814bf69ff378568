"""The drawing of a workload, and the table of resource types behind it."""

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gpuinfra.model import Purpose, Resource
from gpuinfra.report.html.topology import Topology, network_types, topologies
from tests.report.html.plans import content_named

NODES = "urn:pulumi:s::p::aws:autoscaling/group:Group::nodes"


def resource(kind: str, name: str, *to: str, **inputs: str) -> Resource:
    relations = {str(place): (urn,) for place, urn in enumerate(to)}
    return Resource(urn=name, type=f"aws:{kind}", name=name, inputs=inputs, relations=relations)


def drawn(*resources: Resource) -> Topology:
    plan = content_named("trainer").plan
    nodes = Resource(
        urn=NODES,
        type="aws:autoscaling/group:Group",
        name="nodes",
        inputs={},
        relations={"template": ("template",), "subnets": ("inner",)},
    )
    (topology,) = topologies(plan, (*resources, nodes), lambda group: group.subject, lambda _: "")
    return topology


def test_a_network_is_drawn_with_what_stands_in_it() -> None:
    topology = drawn(
        resource("ec2/vpc:Vpc", "vpc"),
        resource("ec2/vpc:Vpc", "another"),
        resource("ec2/subnet:Subnet", "inner", "vpc", availabilityZone="us-east-1a"),
        resource("ec2/subnet:Subnet", "outer", "vpc"),
        resource("ec2/natGateway:NatGateway", "nat", "outer"),
        resource("ec2/natGateway:NatGateway", "elsewhere", "another"),
        resource("ec2/securityGroup:SecurityGroup", "firewall", "vpc"),
        resource("ec2/launchTemplate:LaunchTemplate", "template", "firewall"),
        resource("s3/bucket:Bucket", "data"),
    )

    assert topology.networks == ("vpc",)
    assert topology.subnets == ("inner (us-east-1a)",)
    assert topology.related_resources == (("firewall", ("firewall",)), ("NAT gateway", ("nat",)))


def test_resources_that_refer_to_each_other_are_drawn_once() -> None:
    topology = drawn(
        resource("ec2/subnet:Subnet", "inner", "template"),
        resource("ec2/launchTemplate:LaunchTemplate", "template", "inner"),
    )

    assert topology.subnets == ("inner",)
    assert topology.networks == ()


PACKAGES: Mapping[str, str] = {
    "aws": "pulumi_aws",
    "gcp": "pulumi_gcp",
    "azure-native": "pulumi_azure_native",
}


@pytest.mark.parametrize("token", network_types())
def test_each_type_of_the_table_is_one_of_its_sdk(token: str) -> None:
    provider, module, name = token.split(":")
    spec = importlib.util.find_spec(PACKAGES[provider])
    assert spec is not None
    (folder,) = spec.submodule_search_locations or ()
    file = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()

    assert (Path(folder) / module.partition("/")[0] / f"{file}.py").is_file()


def test_what_belongs_to_another_workload_of_the_network_is_not_drawn() -> None:
    chat, train = (
        Resource(
            urn=f"{name}-group",
            type="aws:autoscaling/group:Group",
            name=f"{name}-group",
            inputs={},
            relations={"subnets": ("inner",)},
        )
        for name in ("chat", "train")
    )
    groups = tuple(
        replace(group, name=name, subject=f"{name}-group")
        for group in content_named("any").plan.groups
        for name in ("chat", "train")
    )
    plan = replace(content_named("any").plan, groups=groups)
    resources = (
        resource("ec2/vpc:Vpc", "vpc"),
        resource("ec2/subnet:Subnet", "inner", "vpc"),
        resource("ec2/securityGroup:SecurityGroup", "chat-firewall", "vpc"),
        resource("ec2/securityGroup:SecurityGroup", "train-firewall", "vpc"),
        resource("ec2/securityGroup:SecurityGroup", "shared", "vpc"),
        chat,
        train,
    )

    first, second = topologies(plan, resources, lambda group: group.subject, lambda _: "")

    assert first.related_resources == (("firewall", ("chat-firewall", "shared")),)
    assert second.related_resources == (("firewall", ("train-firewall", "shared")),)


@pytest.mark.parametrize(
    ("purpose", "count", "words", "gpus"),
    [
        ("inference", 2, "", "8 × L4 each"),
        ("training", 2, "no fabric interfaces", "8 × L4 each"),
        ("training", 1, "", "8 × L4"),
    ],
)
def test_a_pool_and_a_single_machine_without_a_fabric_say_nothing_of_it(
    purpose: Purpose, count: int, words: str, gpus: str
) -> None:
    whole = content_named("any").plan
    group = replace(whole.groups[0], fabric=None, purpose=purpose, minimum=count, maximum=count)

    (topology,) = topologies(
        replace(whole, groups=(group,)), (), lambda group: group.subject, lambda _: "8 × L4 each"
    )

    assert (topology.interfaces, topology.gpus) == (words, gpus)
