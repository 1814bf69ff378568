"""Networks of Google Cloud that a project or a whole path tells apart from namesakes."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both

RULE = "open-login"


def machine(nic: dict[str, Any], project: Any = "shop-1") -> GcpProgram:
    """A machine and a network `train`, with a subnet of that name, closed but to one range."""
    program = GcpProgram()
    add = program.add
    home = {"project": project}
    add("compute/network:Network", "train", name="train", autoCreateSubnetworks=False, **home)
    add(
        "compute/subnetwork:Subnetwork",
        "sub",
        name="train",
        network="train",
        region="us-central1",
        ipCidrRange="10.0.0.0/20",
        **home,
    )
    add(
        "compute/firewall:Firewall",
        "iap",
        network="train",
        sourceRanges=["35.235.240.0/20"],
        allows=[{"protocol": "tcp", "ports": ["22"]}],
        **home,
    )
    add(
        "compute/instance:Instance",
        "box",
        zone="us-central1-a",
        machineType="g2-standard-4",
        networkInterfaces=[nic],
        **home,
    )
    return program


@both
@pytest.mark.parametrize(
    ("project", "outcome"),
    [(None, "fine"), ("shop-1", "fine"), ("shared", "not-knowable"), (UNKNOWN, "not-knowable")],
)
def test_a_subnet_of_another_project_is_not_the_one_of_that_name_here(project, outcome, moment):
    nic = {"subnetwork": "train"}
    nic |= {} if project is None else {"subnetworkProject": project}
    assert outcomes(of_resources(machine(nic).resources(moment)), RULE) == [outcome]


@pytest.mark.parametrize(
    ("project", "path", "outcome"),
    [
        ("shop-1", "projects/shop-1/regions/us-central1/subnetworks/train", "fine"),
        ("shop-1", "projects/shop-1/regions/us-east1/subnetworks/train", "not-knowable"),
        ("shop-1", "projects/shared/regions/us-central1/subnetworks/train", "not-knowable"),
        (None, "projects/shop-1/regions/us-central1/subnetworks/train", "not-knowable"),
    ],
)
def test_a_whole_path_is_what_it_will_be_before_it_is_made(project, path, outcome):
    program = machine({"subnetwork": path}, project)
    assert outcomes(of_resources(program.resources("preview")), RULE) == [outcome]


@pytest.mark.parametrize(
    ("project", "outcome"), [("shop-1", "not-knowable"), (None, "not-knowable"), ("x", "fine")]
)
def test_policies_of_elsewhere_are_met_by_the_path_of_a_network_to_be_made(project, outcome):
    program = machine({"network": "train"}, project)
    program.add(
        "compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation",
        "policy",
        firewallPolicy="theirs",
        attachmentTarget="projects/shop-1/global/networks/train",
        **({} if project is None else {"project": project}),
    )
    assert outcomes(of_resources(program.resources("preview")), RULE) == [outcome]
