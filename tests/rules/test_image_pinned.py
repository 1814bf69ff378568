"""The rule image-pinned on what strangers write for three clouds."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, GroupLifecycle
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.hygiene import of_group, pool, said_of
from tests.rules.cases.judging import findings, group, plan
from tests.rules.cases.program import Program

IMAGES: dict[str, tuple[Any, str]] = {
    "id": ("ami-0abc", "fine"),
    "parameter": ("resolve:ssm:/aws/service/ami/latest/ami-id", "violated"),
    "version of a parameter": ("resolve:ssm:/team/ami:7", "fine"),
    "label of a parameter": ("resolve:ssm:/team/ami:blue", "violated"),
    "hidden": (UNKNOWN, "not-knowable"),
    "no id": ("my-image", "not-knowable"),
    "none": (None, "not-knowable"),
}


@pytest.mark.parametrize("named", IMAGES)
def test_images_on_aws(named):
    image, outcome = IMAGES[named]
    program, _ = pool()
    (template,) = (handle for handle in program.handles.values() if "Template" in handle.type)
    program.change(template, imageId=image)
    assert said_of(program, "image-pinned", "created") == {outcome}


def test_an_image_that_the_stack_s_state_keeps_is_pinned():
    program, _ = pool()
    pin = program.add("pulumi:index:Stash", "image", input="ami-1")
    (template,) = (handle for handle in program.handles.values() if "Template" in handle.type)
    program.change(template, imageId=pin.out("output"))
    assert said_of(program, "image-pinned", "preview") == {"fine"}


def test_eks_keeps_its_release():
    program = Program()
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 1},
    )
    assert said_of(program, "image-pinned", "created") == {"fine"}


@pytest.mark.parametrize(
    ("image", "outcome"),
    [
        ("projects/p/global/images/own", "fine"),
        ("https://www.googleapis.com/compute/v1/projects/p/global/images/own", "fine"),
        ("global/images/own", "fine"),
        ("projects/p/global/images/family/ours", "violated"),
        ("family/ours", "violated"),
        ("debian-cloud/debian-12", "not-knowable"),
        (UNKNOWN, "not-knowable"),
        (None, "not-knowable"),
    ],
)
def test_images_on_google_cloud(image, outcome):
    case = gcp_cluster.roce()
    disk = {"boot": True, "sourceImage": image, "diskType": "hyperdisk-balanced"}
    case.program.change(case.template, disks=[disk])
    assert said_of(case.program, "image-pinned", "created") == {outcome}


@pytest.mark.parametrize(
    ("upgrades", "outcome"), [(None, "violated"), (False, "fine"), (UNKNOWN, "not-knowable")]
)
def test_gke_upgrades_nodes_unless_it_is_told_not_to(upgrades, outcome):
    program = GcpProgram()
    program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster="home",
        nodeCount=1,
        nodeConfig={"machineType": "g2-standard-4"},
        management={"autoUpgrade": upgrades},
    )
    assert said_of(program, "image-pinned", "created") == {outcome}


HPC = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204"}
GALLERY = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/g/images/i"


@pytest.mark.parametrize(
    ("image", "outcome"),
    [
        ({**HPC, "version": "22.04.1"}, "fine"),
        ({**HPC, "version": "latest"}, "violated"),
        (HPC, "violated"),
        ({**HPC, "version": UNKNOWN}, "not-knowable"),
        (UNKNOWN, "not-knowable"),
        ({}, "not-knowable"),
        ({"id": GALLERY}, "violated"),
        ({"id": f"{GALLERY}/versions/1.0.0"}, "fine"),
        ({"id": f"{GALLERY}/versions/latest"}, "violated"),
        ({"id": GALLERY.replace("/galleries/g", "")}, "fine"),
        ({"id": UNKNOWN}, "not-knowable"),
        ({"id": "by-hand"}, "not-knowable"),
        ({"communityGalleryImageId": "/CommunityGalleries/g/Images/i/Versions/1"}, "fine"),
    ],
)
def test_images_on_azure(image, outcome):
    case = azure_cluster.cluster()
    case.profile(storageProfile={"imageReference": image})
    assert said_of(case.program, "image-pinned", "created") == {outcome}


@pytest.mark.parametrize(
    ("channel", "outcome"),
    [("None", "fine"), ("NodeImage", "violated"), (None, "not-knowable")],
)
def test_images_of_nodes_on_azure(channel, outcome):
    program = AzureProgram()
    profile = {"name": "gpus", "vmSize": "Standard_NC4as_T4_v3", "count": 1}
    program.add(
        "azure-native:containerservice:ManagedCluster",
        "aks",
        agentPoolProfiles=[profile],
        autoUpgradeProfile={"nodeOSUpgradeChannel": channel},
    )
    assert said_of(program, "image-pinned", "created") == {outcome}


FAULT = rule_faults("image-pinned", ("its container image is not pinned",))
MACHINE = "its machine image is not pinned: machines of one group may start from different images"


@pytest.mark.parametrize(
    ("pinned", "faults", "outcome", "message"),
    [
        (True, (), "fine", "its machine image is pinned"),
        (True, FAULT, "violated", "its container image is not pinned"),
        (False, (), "violated", MACHINE),
        (False, FAULT, "violated", f"{MACHINE}; its container image is not pinned"),
        (UNKNOWN, (), "not-knowable", "it is unknown whether its machine image is pinned"),
        (UNKNOWN, FAULT, "violated", "its container image is not pinned"),
    ],
)
def test_images_of_machines_and_containers_are_judged_together(
    pinned: Any, faults: Any, outcome: str, message: str
) -> None:
    judged = group(lifecycle=GroupLifecycle(image_pinned=pinned), faults=faults)

    (finding,) = findings(plan(judged), "image-pinned")

    assert (finding.outcome, finding.message) == (outcome, message)


@pytest.mark.parametrize(
    ("fact", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_an_image_is_pinned(fact, outcome):
    finding = of_group("image-pinned", image_pinned=fact)
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_without_rows_image_pinned_does_not_apply():
    (finding,) = findings(plan(), "image-pinned")
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")
