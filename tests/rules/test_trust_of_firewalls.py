"""Firewalls that may be on a trusted network of another stack."""

import pytest

from gpuinfra.model import UNKNOWN, Resource, Trust
from tests.rules.cases.trust import gcp, made, told


def firewall(network, **inputs):
    kind = "gcp:compute/firewall:Firewall"
    return Resource(
        urn=f"urn:pulumi:dev::shop::{kind}::it",
        type=kind,
        name="it",
        inputs={
            "network": network,
            "sourceRanges": ["0.0.0.0/0"],
            "allows": [{"protocol": "tcp", "ports": ["22"]}],
            **inputs,
        },
    )


HOST = "projects/host/global/networks"
INSIDE = "projects/host/regions/us-central1/subnetworks/gpus"


@pytest.mark.parametrize(
    ("interface", "network", "outcome"),
    [
        ({"network": f"{HOST}/vpc"}, "vpc", "not-knowable"),
        ({"network": "vpc"}, f"{HOST}/vpc", "not-knowable"),
        ({"network": f"{HOST}/vpc"}, f"{HOST}/other", "fine"),
        ({"network": f"{HOST}/vpc"}, "projects/p/global/networks/vpc", "fine"),
        ({"network": f"{HOST}/vpc"}, "other", "fine"),
        ({"network": None, "subnetwork": INSIDE}, f"{HOST}/vpc", "not-knowable"),
        ({"network": None, "subnetwork": INSIDE}, "vpc", "not-knowable"),
        ({"network": f"{HOST}/vpc", "subnetwork": INSIDE}, "vpc", "not-knowable"),
        ({"network": f"{HOST}/vpc", "subnetwork": INSIDE}, "other", "fine"),
    ],
)
def test_an_open_firewall_that_may_be_on_a_trusted_network_leaves_it_unknown(
    interface, network, outcome
):
    trust = Trust(input="networkInterfaces", private=True, why="ours")
    machine = gcp(**interface)
    assert told([firewall(network), machine], trust)[1] == outcome
    closed = firewall(network, sourceRanges=["10.0.0.0/8"])
    assert told([closed, machine], trust)[1] == "fine"
    elsewhere = firewall(network, targetTags=["web"])
    assert told([elsewhere, machine], trust)[1] == "fine"
    assert told([firewall(UNKNOWN), machine], trust)[1] == "not-knowable"


def test_a_firewall_of_a_network_that_the_stack_makes_is_on_no_trusted_one():
    trust = Trust(input="networkInterfaces", private=True, why="ours")
    own = made("gcp:compute/network:Network", name="own")
    machine = gcp(network=None, subnetwork=INSIDE)
    assert told([own, firewall("own"), machine], trust)[1] == "fine"


def test_a_policy_that_may_be_on_a_trusted_network_leaves_it_unknown():
    trust = Trust(input="networkInterfaces", private=True, why="ours")
    kind = "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation"
    policy = made(kind, firewallPolicy="p", attachmentTarget="vpc")
    assert told([policy, gcp(f"{HOST}/vpc")], trust)[1] == "not-knowable"
