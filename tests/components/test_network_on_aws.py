"""The network that a stack file asks for on AWS: shaped, or one that is there."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gpuinfra.clouds.aws.metrics import EXPORTER_PORT
from gpuinfra.components.program import program
from gpuinfra.source import Source
from gpuinfra.stackfile import loads
from tests.components.mocked.aws import VPC

STACK = """\
version: 1
name: wired
owner: ml-platform
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
network: {{{network}}}
"""

TRAINING = """\
training:
  trainer: {{instance: p5.48xlarge, nodes: {nodes}, efa_layout: {layout}}}
"""

POOL = """\
inference:
  chat:
    gpu: "L4:1"
    replicas: 1..4
    image: "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/model:v3"
    port: 80
    scale_on: {requests_per_target: 5}
"""


def build(
    record: Any, network: str, *, pool: bool = False, nodes: int = 2, layout: str = "standard"
) -> Any:
    text = STACK.format(network=network)
    text += POOL if pool else TRAINING.format(nodes=nodes, layout=layout)
    return record(program(Source(document=loads(text)), {}))


@contextmanager
def refused(message: str) -> Iterator[None]:
    """A program that ends with this; what it leaves unfinished is swept up here and now."""
    with pytest.raises(Exception, match=message):
        yield
    gc.collect()


ends_early = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def kinds(seen: Any) -> list[str]:
    return [resource.type.rpartition(":")[2] for resource in seen.resources]


def test_a_closed_network_is_the_golden_one(record, golden) -> None:
    seen = build(record, "nat: false, flow_logs: true, zones: 3", pool=True)

    golden("network-closed", seen.golden())


def test_a_closed_network_has_no_way_out_and_every_service_inside(record) -> None:
    seen = build(record, "nat: false")
    endpoints = [resource for resource in seen.resources if resource.type.endswith(":VpcEndpoint")]
    services = {
        endpoint.inputs["serviceName"].rpartition("us-east-1.")[2] for endpoint in endpoints
    }

    assert not {"NatGateway", "InternetGateway", "Eip"} & set(kinds(seen))
    assert {"s3", "ssm", "ssmmessages", "ec2messages", "ecr.api", "ecr.dkr", "logs"} <= services
    for endpoint in endpoints:
        if endpoint.inputs["vpcEndpointType"] == "Interface":
            assert endpoint.inputs["privateDnsEnabled"] is True
            assert endpoint.inputs["securityGroupIds"] == ["trainer-endpoint-firewall-id"]
    ingress = seen.of("trainer-endpoint-ingress").inputs
    assert (ingress["cidrIpv4"], ingress["fromPort"], ingress["toPort"]) == (
        "10.0.0.0/16",
        443,
        443,
    )


def test_flow_logs_are_written_by_a_role_that_can_write_nothing_else(record) -> None:
    seen = build(record, "flow_logs: true")
    log = seen.of("trainer-flow-log").inputs

    assert (log["trafficType"], log["vpcId"]) == ("ALL", "trainer-vpc-id")
    assert log["logDestination"] == "arn:aws:mock:trainer-flow-log-group"
    policy = seen.of("trainer-flow-log-rights").inputs["policy"]
    assert '"Resource": ["arn:aws:mock:trainer-flow-log-group' in policy
    assert '"*"' not in policy.replace("arn:aws:mock:trainer-flow-log-group:*", "")


def test_the_callers_network_is_taken_and_none_is_made(record) -> None:
    seen = build(record, f"vpc: {VPC}, subnets: [subnet-00000001]")

    assert not {"Vpc", "Subnet", "NatGateway", "VpcEndpoint"} & set(kinds(seen))
    assert seen.of("trainer-group").inputs["vpcZoneIdentifiers"] == ["subnet-00000001"]
    assert seen.of("trainer-security-group").inputs["vpcId"] == VPC


def test_a_pool_in_the_callers_network_answers_its_vpc(record) -> None:
    seen = build(record, f"vpc: {VPC}, subnets: [subnet-00000001, subnet-00000002]", pool=True)

    assert seen.of("chat-clients-ingress").inputs["cidrIpv4"] == "10.9.0.0/16"
    assert seen.of("chat-load-balancer").inputs["subnets"] == [
        "subnet-00000001",
        "subnet-00000002",
    ]


@ends_early
@pytest.mark.parametrize(
    ("network", "pool", "message"),
    [
        (f"vpc: {VPC}, subnets: [subnet-bad00001]", False, "maps public addresses"),
        ("vpc: vpc-00000000, subnets: [subnet-00000001]", False, f"is in {VPC}, not in vpc-0000"),
        (f"vpc: {VPC}, subnets: [subnet-00000001, subnet-10000001]", True, "all subnets are in"),
    ],
)
def test_what_does_not_fit_is_told_before_anything_is_built_in_it(
    record, network: str, pool: bool, message: str
) -> None:
    with refused(message):
        build(record, network, pool=pool)


@ends_early
def test_subnets_are_in_the_zones_that_the_file_names(record) -> None:
    def stack(zone: str) -> Any:
        text = STACK.format(network=f"vpc: {VPC}, subnets: [subnet-00000001]")
        text = text.replace("[us-east-1]", f"[us-east-1], zones: [{zone}]")
        return Source(document=loads(text + TRAINING.format(nodes=2, layout="standard")))

    there = "us-east-1b"
    record(program(stack(there), {}))
    with refused(f"is in {there}, and `where` names only us-east-1f"):
        record(program(stack("us-east-1f"), {}))


@ends_early
def test_the_classic_layout_does_not_fit_into_a_small_subnet(record) -> None:
    network = f"vpc: {VPC}, subnets: [subnet-00000001]"
    with refused("hold 251 addresses, and 8 machines take 256"):
        build(record, network, nodes=8, layout="classic")


@pytest.mark.parametrize("pool", [False, True])
def test_prometheus_reaches_the_exporter_from_where_it_may_and_nowhere_else(record, pool) -> None:
    text = STACK.format(network="nat: true").replace("network:", "monitoring: {MORE}\nnetwork:")
    text = text.replace("MORE", "alarms: false, prometheus: 10.7.0.0/16")
    text += POOL if pool else TRAINING.format(nodes=2, layout="standard")
    seen = record(program(Source(document=loads(text)), {}))
    rule = seen.of(f"{'chat' if pool else 'trainer'}-scrape-ingress").inputs

    assert (rule["cidrIpv4"], rule["fromPort"], rule["toPort"]) == (
        "10.7.0.0/16",
        EXPORTER_PORT,
        EXPORTER_PORT,
    )
