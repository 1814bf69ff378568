"""Google Cloud and Azure start no machine whose network or zone is of another region."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

PATH = "projects/acme/regions/{}/subnetworks/inner"


def refused(program: Program, moment: Any = "created") -> list[str]:
    given = verdicts(of_resources(program.resources(moment)), "launch-settings")
    return [message for outcome, message in given if outcome == "violated"]


def of_google(subnet: Any, program: GcpProgram, zone: str = "us-central1-a") -> GcpProgram:
    program.add(
        "compute/instance:Instance",
        "one",
        machineType="g2-standard-4",
        zone=zone,
        networkInterfaces=[{"subnetwork": subnet}],
    )
    return program


@both
@pytest.mark.parametrize("region", ["us-central1", "europe-west4"])
def test_a_subnet_is_of_the_machine_s_region(region, moment):
    program = GcpProgram()
    net = program.add("compute/network:Network", "net")
    inner = program.add("compute/subnetwork:Subnetwork", "inner", network=net.id, region=region)
    far = "the subnet inner is in europe-west4, the machines are in us-central1"
    expected = [] if region == "us-central1" else [far]
    assert refused(of_google(inner.id, program), moment) == expected
    assert refused(of_google(PATH.format(region), GcpProgram()), moment) == expected


@pytest.mark.parametrize(
    ("subnet", "zone"),
    [
        ("inner", "us-central1-a"),
        (UNKNOWN, "us-central1-a"),
        (PATH.format("us-central1"), "us-central1-ai1a"),
    ],
)
def test_a_subnet_whose_region_is_not_known_is_no_other_one(subnet, zone):
    assert refused(of_google(subnet, GcpProgram(), zone)) == []


@both
@pytest.mark.parametrize("region", ["us-central1", "europe-west4"])
def test_the_subnet_of_a_gke_cluster_is_of_its_region(region, moment):
    program = GcpProgram()
    net = program.add("compute/network:Network", "net")
    inner = program.add("compute/subnetwork:Subnetwork", "inner", network=net.id, region=region)
    place = {"location": "us-central1-a", "removeDefaultNodePool": True, "initialNodeCount": 1}
    cluster = program.add("container/cluster:Cluster", "gke", subnetwork=inner.id, **place)
    node = {"machineType": "g2-standard-4"}
    pool = {"cluster": cluster.out("name"), "nodeCount": 1, "nodeConfig": node}
    program.add("container/nodePool:NodePool", "gpu", **pool)
    far = "the subnet inner is in europe-west4, the machines are in us-central1"
    assert refused(program, moment) == ([] if region == "us-central1" else [far])


OTHER = "the subnet inner is in the network net, but the interface names other"


@both
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("kind", ["machine", "nodes"])
def test_a_subnet_is_of_the_network_that_is_named_beside_it(kind, same, moment):
    program = GcpProgram()
    net = program.add("compute/network:Network", "net")
    other = net if same else program.add("compute/network:Network", "other")
    inner = program.add(
        "compute/subnetwork:Subnetwork", "inner", network=net.id, region="us-central1"
    )
    pair = {"network": other.id, "subnetwork": inner.id}
    place = "us-central1-a"
    if kind == "machine":
        program.add(
            "compute/instance:Instance",
            "one",
            machineType="g2-standard-4",
            zone=place,
            networkInterfaces=[pair],
        )
    else:
        bare = {"initialNodeCount": 1, "removeDefaultNodePool": True}
        gke = program.add("container/cluster:Cluster", "gke", location=place, **pair, **bare)
        nodes = {"cluster": gke.id, "nodeCount": 1, "location": place}
        config = {"machineType": "g2-standard-4"}
        program.add("container/nodePool:NodePool", "gpu", nodeConfig=config, **nodes)
    assert refused(program, moment) == ([] if same else [OTHER])


PLACES = [
    ("VirtualNetwork", "the subnet inner is in westus2, the machines are in eastus"),
    (
        "NetworkSecurityGroup",
        "the network security group closed is in westus2, the machines are in eastus",
    ),
]


@both
@pytest.mark.parametrize(("kind", "message"), PLACES)
@pytest.mark.parametrize("place", ["eastus", "West US 2", "westus2"])
def test_networks_are_of_the_machines_region(kind, message, place, moment):
    case = azure_cluster.cluster("Standard_NC4as_T4_v3")
    handles = case.program.handles.values()
    (named,) = (each for each in handles if each.type.endswith(f":{kind}"))
    case.program.change(named, location=place)
    assert refused(case.program, moment) == ([] if place == "eastus" else [message])


@both
@pytest.mark.parametrize("place", ["eastus", "westus2"])
def test_a_network_interface_is_of_its_machine_s_region(place, moment):
    program = AzureProgram()
    nic = program.add("azure-native:network:NetworkInterface", "nic", location=place)
    program.add(
        "azure-native:compute:VirtualMachine",
        "one",
        location="eastus",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        networkProfile={"networkInterfaces": [{"id": nic.id}]},
    )
    far = "the network interface nic is in westus2, the machines are in eastus"
    assert refused(program, moment) == ([] if place == "eastus" else [far])


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        (["1", "3"], []),
        (["4"], ["eastus has no zone 4: its zones are 1, 2, 3"]),
        ([UNKNOWN], []),
        ([], []),
    ],
)
def test_a_region_has_the_zones_that_machines_name(zones, expected):
    case = azure_cluster.cluster("Standard_NC4as_T4_v3")
    case.program.change(case.scaling, zones=zones)
    assert refused(case.program) == expected

    program = AzureProgram()
    pool = {"name": "gpu", "vmSize": "Standard_NC4as_T4_v3", "availabilityZones": zones}
    program.add(
        "azure-native:containerservice:ManagedCluster",
        "aks",
        location="eastus",
        agentPoolProfiles=[{**pool, "count": 1, "mode": "System"}],
    )
    assert refused(program) == expected


@pytest.mark.parametrize(
    ("location", "zones", "expected"),
    [
        ("westus", ["1"], ["westus has no zone 1: it has no zones: name none"]),
        ("westus", [], []),
        ("of-tomorrow", ["1"], []),
    ],
)
def test_a_region_that_is_not_zonal_takes_no_zones(location, zones, expected):
    program = AzureProgram()
    place = {"location": location, "zones": zones}
    size = {"hardwareProfile": {"vmSize": "Standard_NC4as_T4_v3"}}
    program.add("azure-native:compute:VirtualMachine", "one", **place, **size)
    assert refused(program) == expected


LETTERS = "its zones are a, b, c, f"


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("us-central1-f", []),
        ("us-central1-z", [f"us-central1 has no zone z: {LETTERS}"]),
        ("projects/p/zones/us-central1-d", [f"us-central1 has no zone d: {LETTERS}"]),
        ("us-central1-ai1a", []),
        ("us-tomorrow1-a", []),
        (UNKNOWN, []),
    ],
)
@pytest.mark.parametrize("type_", ["e2-standard-4", "g2-standard-4"])
def test_a_region_of_google_has_the_zone_of_a_machine(zone, expected, type_):
    program = GcpProgram()
    program.add("compute/instance:Instance", "one", machineType=type_, zone=zone)
    assert refused(program) == expected


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        (["us-central1-a", "us-central1-b"], []),
        (["us-central1-ai1a"], []),
        (["us-central1-a", "us-east1-b"], [f"us-central1 has no zone us-east1-b: {LETTERS}"]),
        (["us-east1-b"], [f"us-central1 has no zone us-east1-b: {LETTERS}"]),
    ],
)
@pytest.mark.parametrize("kind", ["group", "nodes"])
def test_zones_are_those_of_the_region_that_is_named_beside_them(kind, zones, expected):
    program = GcpProgram()
    if kind == "group":
        template = program.add(
            "compute/instanceTemplate:InstanceTemplate", "t", machineType="e2-standard-4"
        )
        program.add(
            "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
            "workers",
            region="us-central1",
            distributionPolicyZones=zones,
            targetSize=2,
            versions=[{"instanceTemplate": template.id}],
        )
    else:
        place = {"location": "us-central1", "removeDefaultNodePool": True, "initialNodeCount": 1}
        cluster = program.add("container/cluster:Cluster", "gke", **place)
        pool = {"cluster": cluster.id, "nodeCount": 1, "nodeLocations": zones}
        program.add("container/nodePool:NodePool", "pool", **pool)
    assert refused(program) == expected
