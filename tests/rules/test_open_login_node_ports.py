"""Services that open control ports on all nodes, behind a firewall that lets everyone in."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts
from tests.rules.test_front_tls_cluster_listeners import AWS, AZURE, GCP, resource

SERVICE = "kubernetes:core/v1:Service"
WORLD, OFFICE = "0.0.0.0/0", "203.0.113.0/24"
MESSAGE = "TCP 22 (SSH) of it is open to the internet on its nodes"
OPEN = [("violated", f"{MESSAGE}, at 30022")]
CLOSED: list[Any] = []
UNCERTAIN = ["not-knowable"]


def firewall_of_gcp(ports: Any, source: Any = WORLD, **more: Any) -> Resource:
    allowed = [{"protocol": "tcp", "ports": [ports]}]
    inputs = {"network": "n", "sourceRanges": [source], "allows": allowed, **more}
    return resource("gcp:compute/firewall:Firewall", "f", inputs)


def group_of_aws(ports: Any, source: Any = WORLD) -> Resource:
    first, _, last = str(ports).partition("-")
    rule = {"protocol": "tcp", "fromPort": int(first), "toPort": int(last or first)}
    inputs = {"ingress": [{**rule, "cidrBlocks": [source]}]}
    return resource("aws:ec2/securityGroup:SecurityGroup", "f", inputs)


def group_of_azure(ports: Any, source: Any = WORLD) -> Resource:
    rule = {
        "access": "Allow",
        "direction": "Inbound",
        "priority": 100,
        "protocol": "Tcp",
        "sourceAddressPrefix": source,
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": ports,
    }
    inputs = {"securityRules": [{"name": "r", **rule}]}
    return resource("azure-native:network:NetworkSecurityGroup", "f", inputs)


FIREWALLS = [(GCP, firewall_of_gcp), (AWS, group_of_aws), (AZURE, group_of_azure)]


def told(spec: Any, cluster: str, *stack: Resource) -> list[tuple[str, str]]:
    inputs = {"metadata": {"name": "it"}, "spec": {"type": "NodePort", **spec}}
    it = resource(SERVICE, "it", inputs)
    found = verdicts(of_resources([resource(cluster, "c", {}), *stack, it]), "open-login")
    return [row for row in found if "node" in row[1] or row[0] == "not-knowable"]


SSH = {"ports": [{"port": 22, "nodePort": 30022}]}


@pytest.mark.parametrize(("cluster", "firewall"), FIREWALLS)
@pytest.mark.parametrize(
    ("ports", "source", "expected"),
    [("30022", WORLD, OPEN), ("30000-32767", WORLD, OPEN), ("30022", OFFICE, CLOSED)],
)
def test_a_port_of_nodes_is_open_where_a_firewall_lets_everyone_in(
    cluster, firewall, ports, source, expected
):
    assert told(SSH, cluster, firewall(ports, source)) == expected


@pytest.mark.parametrize(("cluster", "firewall"), FIREWALLS)
def test_a_firewall_of_other_ports_opens_none(cluster, firewall):
    assert told(SSH, cluster, firewall("30080")) == CLOSED
    assert told(SSH, cluster) == CLOSED


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"ports": [{"port": 22}]}, ["violated"]),  # any of the open range
        ({"ports": [{"port": 22, "nodePort": UNKNOWN}]}, UNCERTAIN),
        ({"ports": [{"port": 80, "targetPort": 22, "nodePort": 30022}]}, ["violated"]),
        ({"ports": [{"port": 22, "targetPort": 8000, "nodePort": 30022}]}, []),
        ({"ports": [{"port": 22, "protocol": "UDP", "nodePort": 30022}]}, []),
        ({**SSH, "type": "ClusterIP"}, []),
    ],
)
def test_the_port_of_the_pods_tells_what_listens(spec, expected):
    found = told(spec, GCP, firewall_of_gcp("30000-32767"))
    assert [outcome for outcome, _ in found] == expected


def test_another_firewall_may_deny_it():
    denial = {"network": "n", "sourceRanges": [WORLD], "denies": [{"protocol": "all"}]}
    other = resource("gcp:compute/firewall:Firewall", "d", denial)
    found = told(SSH, GCP, firewall_of_gcp("30022"), other)
    assert [outcome for outcome, _ in found] == UNCERTAIN
    assert told(SSH, GCP, firewall_of_gcp("30022", disabled=True), other) == CLOSED
