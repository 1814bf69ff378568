"""One network for the workloads of a region on AWS, as it is priced, judged and registered."""

import json
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra import api
from gpuinfra.catalog import CATALOG
from gpuinfra.components.program import program
from gpuinfra.errors import InputError
from gpuinfra.planning.declared_stack import workload_graph
from gpuinfra.planning.planned_stack import _Planner
from gpuinfra.source import Source, plan
from gpuinfra.stackfile import loads

STACK = """\
version: 1
name: both
owner: ml-platform
prices: {{accept_outdated: true}}
budget: {{per_hour: 20, per_month: 20000, notify: [ml-platform@example.com]}}
where: {{cloud: aws, regions: [us-east-1]}}
{network}
training:
  trainer:
    instance: g6.8xlarge
    nodes: 2
    time_to_live: 80h
    {trainer}
inference:
  chat: {{gpu: "L4:1", replicas: 1..3, image: "vllm/vllm-openai:v0.11.0", port: 8000}}
"""
SHARED = "network: {shared: true}"
BOX = "  box: {gpu: L4:1, where: {cloud: aws, regions: [us-east-1], zones: [us-east-1c]}}\n"
ID = "0123456789abcdef0"
GATEWAY = "aws:ec2/natGateway:NatGateway"


def written(network: str = SHARED, trainer: str = "", more: str = "") -> str:
    text = STACK.format(network=network, trainer=trainer)
    return text.replace("inference:\n", f"{more}inference:\n")


def built(record: Any, text: str) -> Any:
    return record(program(Source(document=loads(text)), {}))


def of_kind(seen: Any, kind: str) -> list[Any]:
    return [resource for resource in seen.resources if resource.type.endswith(f":{kind}")]


def test_a_shared_network_is_the_golden_one(record, golden) -> None:
    text = written().replace("    time_to_live: 80h\n", "")

    golden("network-shared", built(record, text).golden())


def test_workloads_share_one_network_its_nat_and_its_endpoint(record) -> None:
    seen = built(record, written())
    (vpc,) = of_kind(seen, "Vpc")
    groups = of_kind(seen, "SecurityGroup")

    assert len(of_kind(seen, "NatGateway")) == 1
    assert len(of_kind(seen, "Eip")) == 1
    assert len(of_kind(seen, "VpcEndpoint")) == 1
    assert {group.inputs["vpcId"] for group in groups} == {vpc.outputs["id"]}
    assert {group.name for group in groups} == {
        "trainer-security-group",
        "chat-security-group",
        "chat-balancer-firewall",
    }


def test_security_groups_let_in_their_own_workload_alone(record) -> None:
    seen = built(record, written())
    into = {
        rule.name: rule.inputs.get("referencedSecurityGroupId")
        for rule in of_kind(seen, "SecurityGroupIngressRule")
    }

    assert into == {
        "trainer-self-ingress": "trainer-security-group-id",
        "chat-balancer-ingress": "chat-balancer-firewall-id",
        "chat-clients-ingress": None,
    }


def test_another_workload_changes_no_subnet_that_stands(record) -> None:
    """A subnet that changes is made anew, and the machines in it with it."""

    def subnets(text: str) -> dict[str, Any]:
        return {subnet.name: subnet.inputs for subnet in of_kind(built(record, text), "Subnet")}

    before, after = subnets(written()), subnets(written(more=BOX))

    assert after.items() >= before.items()
    assert len(after) == len(before) + 1


def test_the_machines_of_a_workload_wait_for_the_routes_of_their_zones(record) -> None:
    seen = built(record, written(more=BOX))
    named = "both-network-us-east-1"
    waits = {key for key in seen.of("box-group").after if key.startswith(named)}

    assert f"{named}-private-default" in waits
    assert f"{named}-private-us-east-1c-subnet-routes" in waits
    assert f"{named}-private-us-east-1b-subnet-routes" not in waits


def test_a_workload_with_a_network_of_its_own_does_not_share(record) -> None:
    seen = built(record, written(trainer="network: {nat: true}"))

    assert {vpc.name for vpc in of_kind(seen, "Vpc")} == {
        "trainer-vpc",
        "both-network-us-east-1-vpc",
    }


def test_without_the_word_each_workload_keeps_its_own(record) -> None:
    seen = built(record, written(network=""))

    assert {vpc.name for vpc in of_kind(seen, "Vpc")} == {"trainer-vpc", "chat-vpc"}


def test_a_closed_shared_network_has_each_endpoint_once(record) -> None:
    closed = "network: {shared: true, nat: false}"
    text = written(closed).replace(
        "vllm/vllm-openai:v0.11.0", "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/model:v3"
    )
    names = [
        endpoint.inputs["serviceName"] for endpoint in of_kind(built(record, text), "VpcEndpoint")
    ]

    assert len(names) == len(set(names)) > 1


@pytest.fixture
def quoted(tmp_path):
    def of(text: str) -> Any:
        file = tmp_path / "stack.yaml"
        file.write_text(text)
        return api.check(file)

    return of


def test_the_gateway_is_priced_once_and_as_long_as_any_workload_stands(quoted) -> None:
    own, shared = quoted(written(network="")), quoted(written())
    (gateway,) = [line for line in shared.quote.lines if line.item == "nat-gateway-hour"]
    less = own.quote.per_hour.ceiling - shared.quote.per_hour.ceiling

    assert shared.ok
    assert gateway.group is None
    assert less == Decimal("0.045") + Decimal("0.005")


def test_workloads_alone_have_the_network_once_among_them() -> None:
    source = Source(document=loads(written()))
    gateways = [
        resource.name
        for group in plan(source, {}).groups
        for resource in workload_graph(source.stack, group).resources.values()
        if resource.type == GATEWAY
    ]

    assert gateways == ["both-network-us-east-1-nat-gateway"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (written(trainer="network: {shared: true}"), "set shared on its own network"),
        (
            written(f"network: {{vpc: vpc-{ID}, subnets: [subnet-{ID}], shared: true}}"),
            "has vpc and shared",
        ),
        (
            written("network: {shared: true, cidr: 10.0.0.0/22}").replace(
                "nodes: 2", "nodes: 100"
            ),
            "has 59 addresses for machines in us-east-1",
        ),
    ],
)
def test_a_network_that_cannot_be_shared_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(Source(document=loads(text)), {})

    assert message in json.dumps([problem.message for problem in caught.value.problems])


def test_of_workloads_that_differ_by_name_alone_one_pays_the_gateway() -> None:
    """What a workload pays beside machines is found once for equals, and counted for each."""
    text = written().replace("inference:\n", "  a: {gpu: L4:1}\n  b: {gpu: L4:1}\ninference:\n")
    text = text.replace("  trainer:", "  a0: {gpu: L4:1}\n  trainer:")
    offers = _Planner(loads(text).stack, CATALOG, {}).offers()
    paying = {
        name
        for name, of_clouds in offers.items()
        for offer in of_clouds
        for item in offer.costs()
        if item.item == "nat-gateway-hour"
    }

    assert paying == {"a0"}
