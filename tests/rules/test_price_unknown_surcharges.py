"""Machines on Google Cloud whose software or hardware no table prices are never priced as free."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.surcharges import RED_HAT, WINDOWS, reasons

NODES = "gcp:container/nodePool:NodePool"
HOME = "gcp:container/cluster:Cluster"
SHARED = (
    "its machines are on sole-tenant nodes, which are billed as a whole, and whose price "
    "is unknown"
)
WORKSTATION = "its GPUs are virtual workstations, and the price of the licence for each is unknown"


def instance(image: str, **inputs: Any) -> GcpProgram:
    return gcp_stacks.open_machine(bootDisk={"initializeParams": {"image": image}}, **inputs)


@both
@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("windows-cloud/windows-2022", WINDOWS),
        ("projects/windows-cloud/global/images/family/windows-2022", WINDOWS),
        ("https://www.googleapis.com/compute/v1/projects/windows-cloud/global/images/w", WINDOWS),
        ("windows-2022", WINDOWS),
        ("rhel-cloud/rhel-9", RED_HAT),
        ("debian-cloud/debian-12", None),
        ("projects/shop-1/global/images/windows", None),
        ("debian-12", None),
    ],
)
def test_paid_images_of_google_have_no_price(image, reason, moment):
    seen = reasons(instance(image).resources(moment))
    assert seen == ([] if reason is None else [reason])


@both
def test_paid_images_are_seen_in_templates_and_on_disks_of_their_own(moment):
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    windows = {"boot": True, "sourceImage": "windows-cloud/windows-2022"}
    made = gcp_stacks.template(program, "t", subnet, disks=[windows])
    gcp_stacks.group(program, "g", made, targetSize=2)
    assert reasons(program.resources(moment)) == [WINDOWS]
    program = GcpProgram()
    disk = program.add(
        "compute/disk:Disk", "root", zone="us-central1-a", image="windows-cloud/windows-2022"
    )
    program.add(
        "compute/instance:Instance",
        "i",
        zone="us-central1-a",
        machineType="n1-standard-8",
        bootDisk={"source": disk.id},
    )
    assert reasons(program.resources(moment)) == [WINDOWS]


RHEL = "projects/rhel-cloud/global/licenses/rhel-9-server"


@both
@pytest.mark.parametrize(
    ("image", "disk", "reason"),
    [
        ({"sourceImage": "windows-cloud/windows-2022"}, None, WINDOWS),
        ({"licenses": [RHEL], "rawDisk": {"source": "gs://b/disk.raw"}}, None, RED_HAT),
        ({}, {"licenses": [RHEL]}, RED_HAT),
        ({}, {"image": "rhel-cloud/rhel-9"}, RED_HAT),
        ({}, {"image": "debian-cloud/debian-12"}, None),
        ({"sourceImage": "debian-cloud/debian-12"}, None, None),
    ],
)
def test_paid_software_is_followed_through_images_and_disks(image, disk, reason, moment):
    program = GcpProgram()
    made_from = {}
    if disk is not None:
        made_from["sourceDisk"] = program.add(
            "compute/disk:Disk", "d", zone="us-central1-a", size=50, type="pd-ssd", **disk
        ).id
    own = program.add("compute/image:Image", "own", **image, **made_from)
    subnet = gcp_stacks.network(program)
    boot = {"boot": True, "sourceImage": own.id, "diskSizeGb": 50}
    made = gcp_stacks.template(program, "t", subnet, disks=[boot])
    gcp_stacks.group(program, "g", made, targetSize=2)
    licences = [row for row in reasons(program.resources(moment)) if "licence" in row]
    assert licences == ([] if reason is None else [reason])


@pytest.mark.parametrize(
    ("affinities", "reason"),
    [
        ([{"key": "k", "operator": "IN", "values": ["v"]}], SHARED),
        (UNKNOWN, "it is not known yet whether its machines are on sole-tenant nodes"),
        ([], None),
    ],
)
def test_sole_tenancy_has_no_price(affinities, reason):
    program = gcp_stacks.open_machine(scheduling={"nodeAffinities": affinities})
    seen = reasons(program.resources())
    assert seen == ([] if reason is None else [reason])


@both
@pytest.mark.parametrize(
    ("node", "reason"),
    [
        ({"imageType": "WINDOWS_LTSC_CONTAINERD"}, WINDOWS),
        ({"soleTenantConfig": {"nodeAffinities": [{"key": "k"}]}}, SHARED),
        ({"nodeGroup": "mine"}, SHARED),
        ({"imageType": "COS_CONTAINERD"}, None),
    ],
)
def test_nodes_of_gke_have_the_same_surcharges(node, reason, moment):
    program = gcp_stacks.gke({"nodeConfig": {**gcp_stacks.NODES, **node}, "nodeCount": 1})
    seen = reasons(program.resources(moment))
    assert seen == ([] if reason is None else [reason])


FAST = (
    "its machines have Tier_1 networking, "
    "which is billed separately by the hour; its price is unknown"
)
CONFIDENTIAL = (
    "its machines are confidential, "
    "which is billed separately by vCPU and memory; its price is unknown"
)


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({"networkPerformanceConfig": {"totalEgressBandwidthTier": "TIER_1"}}, FAST),
        ({"networkPerformanceConfig": {"totalEgressBandwidthTier": "DEFAULT"}}, None),
        (
            {"networkPerformanceConfig": {"totalEgressBandwidthTier": UNKNOWN}},
            "it is not known yet whether its machines have Tier_1 networking",
        ),
        ({"confidentialInstanceConfig": {"enableConfidentialCompute": True}}, CONFIDENTIAL),
        ({"confidentialInstanceConfig": {"confidentialInstanceType": "TDX"}}, CONFIDENTIAL),
        ({"confidentialInstanceConfig": {"enableConfidentialCompute": False}}, None),
        (
            {"confidentialInstanceConfig": UNKNOWN},
            "it is not known yet whether its machines are confidential",
        ),
    ],
)
def test_what_google_bills_beside_a_machine_has_no_price(inputs, reason):
    seen = reasons(gcp_stacks.open_machine(**inputs).resources())
    assert seen == ([] if reason is None else [reason])


@both
@pytest.mark.parametrize(
    ("pool", "cluster", "reason"),
    [
        ({"confidentialNodes": {"enabled": True}}, {}, CONFIDENTIAL),
        ({"confidentialNodes": {"confidentialInstanceType": "SEV"}}, {}, CONFIDENTIAL),
        ({}, {"confidentialNodes": {"enabled": True}}, CONFIDENTIAL),
        (
            {"confidentialNodes": {"enabled": False}},
            {"confidentialNodes": {"enabled": True}},
            CONFIDENTIAL,
        ),
        ({"confidentialNodes": {"enabled": False}}, {}, None),
    ],
)
def test_confidential_nodes_have_no_price(pool, cluster, reason, moment):
    config = {**gcp_stacks.NODES, **pool}
    program = gcp_stacks.gke({"nodeConfig": config, "nodeCount": 1}, **cluster)
    seen = reasons(program.resources(moment))
    assert seen == ([] if reason is None else [reason])


@both
def test_fast_networks_of_nodes_have_no_price(moment):
    network = {"networkPerformanceConfig": {"totalEgressBandwidthTier": "TIER_1"}}
    program = gcp_stacks.gke(
        {"nodeConfig": gcp_stacks.NODES, "nodeCount": 1, "networkConfig": network}
    )
    assert reasons(program.resources(moment)) == [FAST]


@both
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("nvidia-l4-vws", WORKSTATION),
        ("projects/p/zones/z/acceleratorTypes/nvidia-l4-vws", WORKSTATION),
        ("nvidia-l4", None),
    ],
)
def test_virtual_workstations_of_google_have_no_price(kind, reason, moment):
    program = gcp_stacks.open_machine(
        machineType="g2-standard-4", guestAccelerators=[{"type": kind, "count": 1}]
    )
    assert (WORKSTATION in reasons(program.resources(moment))) is (reason is not None)


@both
@pytest.mark.parametrize(
    ("kept", "fits"),
    [
        ({"instancePlatform": "Linux/UNIX"}, True),
        ({"instancePlatform": "Windows"}, False),
        ({"instancePlatform": "Linux/UNIX", "tenancy": "dedicated"}, False),
    ],
)
def test_machines_use_no_reservation_of_another_system_or_tenancy(kept, fits, moment):
    program = Program()
    reservation = program.add(
        "aws:ec2/capacityReservation:CapacityReservation",
        "kept",
        instanceType="p5.48xlarge",
        instanceCount=1,
        availabilityZone="us-east-1a",
        **kept,
    )
    target = {"capacityReservationTarget": {"capacityReservationId": reservation.id}}
    program.add(
        "aws:ec2/instance:Instance",
        "a",
        instanceType="p5.48xlarge",
        availabilityZone="us-east-1a",
        capacityReservationSpecification=target,
    )
    plan = of_resources(program.resources(moment))

    assert len(plan.groups) == (1 if fits else 2)
    assert bool(plan.not_judged) is not fits


def test_windows_above_a_base_of_a_pool_is_not_lost_when_the_two_are_one():
    program = gcp_stacks.pool()
    spot = next(handle for handle in program.handles.values() if handle.name == "cheap")
    steady = next(handle for handle in program.handles.values() if handle.name == "dear")
    for template, image in ((spot, "windows-cloud/w"), (steady, "debian-cloud/d")):
        program.change(template, disks=[{**gcp_stacks.DISK, "sourceImage": image}])
    plan = of_resources(program.resources())
    assert len(plan.groups) == 1
    assert [row.reason for row in plan.not_judged] == [WINDOWS]


@both
@pytest.mark.parametrize(
    ("inputs", "waits"),
    [
        ({"targetSuspendedSize": 5}, True),
        ({"targetStoppedSize": 6}, True),
        ({"targetStoppedSize": UNKNOWN}, True),
        ({"targetSuspendedSize": 0, "targetStoppedSize": 0}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("size", [0, 1])
def test_machines_that_wait_are_not_free(inputs, waits, size, moment):
    program = GcpProgram()
    made = gcp_stacks.template(program, "t", gcp_stacks.network(program))
    gcp_stacks.group(program, "g", made, targetSize=size, **inputs)
    told = reasons(program.resources(moment))
    assert [reason.startswith("it keeps suspended or stopped") for reason in told] == [
        True
    ] * waits


def test_what_has_a_surcharge_is_refused_and_still_judged():
    plan = of_resources(instance("windows-cloud/windows-2022").resources())
    (finding,) = findings(plan, "price-unknown")
    assert (finding.outcome, WINDOWS in finding.message) == ("violated", True)
    assert len(findings(plan, "open-login")) == 1


@pytest.mark.parametrize(
    "cluster",
    [
        {"removeDefaultNodePool": False, "nodeConfig": {"machineType": "a2-highgpu-8g"}},
        {"clusterAutoscaling": {"enabled": True}},
        {"enableAutopilot": True},
    ],
)
def test_the_control_plane_of_gke_is_left_out_without_its_machines(cluster):
    program = GcpProgram()
    given = {"location": "us-central1-a", "removeDefaultNodePool": True, **cluster}
    home = program.add(HOME, "k8s", **given)
    plan = of_resources(program.resources())
    (finding,) = findings(plan, "price-unknown", not_counted=(HOME,))
    assert (finding.outcome, finding.subject) == ("violated", home.urn)
    (finding,) = findings(plan, "price-unknown", not_counted=(HOME, NODES))
    assert finding.outcome == "fine"
