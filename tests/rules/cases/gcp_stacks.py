"""Small stacks on Google Cloud as strangers write them: pools, single machines, GKE, buckets."""

from typing import Any

from tests.rules.cases.gcp_cluster import EVERYTHING, ON_DEMAND, SPOT
from tests.rules.cases.gcp_program import GcpHandle, GcpProgram

DISK = {"boot": True, "sourceImage": "cos", "diskType": "pd-balanced", "diskSizeGb": 100}


def network(program: GcpProgram) -> GcpHandle:
    """A VPC with one subnet, open to itself and with a NAT of its own; gives the subnet."""
    add = program.add
    vpc = add("compute/network:Network", "net", autoCreateSubnetworks=False)
    subnet = add(
        "compute/subnetwork:Subnetwork",
        "inner",
        network=vpc.link,
        ipCidrRange="10.0.0.0/20",
        region="us-central1",
    )
    add(
        "compute/firewall:Firewall",
        "own",
        network=vpc.link,
        sourceRanges=["10.0.0.0/20"],
        allows=EVERYTHING,
    )
    router = add("compute/router:Router", "way", network=vpc.id, region="us-central1")
    address = add("compute/address:Address", "out", region="us-central1")
    add(
        "compute/routerNat:RouterNat",
        "out",
        router=router.out("name"),
        region="us-central1",
        natIpAllocateOption="MANUAL_ONLY",
        natIps=[address.link],
        sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES",
    )
    return subnet


def template(program: GcpProgram, name: str, subnet: GcpHandle, **inputs: Any) -> GcpHandle:
    """A template of one L4 machine."""
    given = {
        "machineType": "g2-standard-8",
        "disks": [DISK],
        "networkInterfaces": [{"subnetwork": subnet.link}],
        "scheduling": ON_DEMAND,
        **inputs,
    }
    return program.add("compute/instanceTemplate:InstanceTemplate", name, **given)


def group(program: GcpProgram, name: str, made: GcpHandle, **inputs: Any) -> GcpHandle:
    """A regional managed group."""
    return program.add(
        "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
        name,
        region="us-central1",
        baseInstanceName=name,
        distributionPolicyZones=["us-central1-a", "us-central1-b"],
        versions=[{"instanceTemplate": made.link}],
        **inputs,
    )


def autoscaler(program: GcpProgram, goal: GcpHandle, least: int, most: int) -> GcpHandle:
    """What scales a regional group."""
    return program.add(
        "compute/regionAutoscaler:RegionAutoscaler",
        "scale",
        region="us-central1",
        target=goal.link,
        autoscalingPolicy={"minReplicas": least, "maxReplicas": most},
    )


def pool(*, base: int = 2) -> GcpProgram:
    """A pool behind an internal load balancer: a base on demand, what is above it on spot."""
    program = GcpProgram()
    subnet = network(program)
    spot = group(program, "more", template(program, "cheap", subnet, scheduling=SPOT))
    backends = [{"group": spot.out("instanceGroup")}]
    if base:
        steady = group(program, "steady", template(program, "dear", subnet), targetSize=base)
        backends.insert(0, {"group": steady.out("instanceGroup")})
    autoscaler(program, spot, 1, 8)
    service = program.add(
        "compute/regionBackendService:RegionBackendService",
        "front",
        region="us-central1",
        backends=backends,
    )
    program.add(
        "compute/forwardingRule:ForwardingRule",
        "front",
        region="us-central1",
        loadBalancingScheme="INTERNAL",
        backendService=service.id,
        subnetwork=subnet.id,
    )
    return program


def open_machine(**inputs: Any) -> GcpProgram:
    """A single GPU machine with everything that a tutorial leaves open."""
    program = GcpProgram()
    add = program.add
    vpc = add("compute/network:Network", "net")
    add(
        "compute/firewall:Firewall",
        "ssh",
        network=vpc.out("name"),
        sourceRanges=["0.0.0.0/0"],
        allows=[{"protocol": "tcp", "ports": ["22"]}],
    )
    account = add("serviceaccount/account:Account", "god", accountId="god-account")
    add(
        "projects/iAMBinding:IAMBinding",
        "god",
        project="shop-1",
        role="roles/editor",
        members=[account.out("member")],
    )
    add("serviceaccount/key:Key", "god", serviceAccountId=account.out("name"))
    given = {
        "zone": "us-central1-a",
        "machineType": "n1-standard-8",
        "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 2}],
        "bootDisk": {"initializeParams": {"image": "debian", "size": 50, "type": "pd-ssd"}},
        "networkInterfaces": [{"network": vpc.out("name"), "accessConfigs": [{}]}],
        "serviceAccount": {"email": account.out("email"), "scopes": ["cloud-platform"]},
        **inputs,
    }
    add("compute/instance:Instance", "notebook", **given)
    return program


NODES = {"machineType": "a2-highgpu-1g", "spot": True, "diskSizeGb": 200, "oauthScopes": ["x"]}


def gke(pool: dict[str, Any] | None = None, **cluster: Any) -> GcpProgram:
    """A regional GKE cluster with a pool of spot GPU nodes."""
    program = GcpProgram()
    home = program.add(
        "container/cluster:Cluster",
        "k8s",
        **{"location": "us-central1", "removeDefaultNodePool": True, **cluster},
    )
    given = {"nodeConfig": NODES, "nodeCount": 1} if pool is None else pool
    program.add("container/nodePool:NodePool", "gpus", cluster=home.out("name"), **given)
    return program


def good_bucket() -> tuple[GcpProgram, GcpHandle]:
    """A closed bucket that tidies up, with one reader."""
    program = GcpProgram()
    bucket = program.add(
        "storage/bucket:Bucket",
        "tokens",
        location="US-CENTRAL1",
        uniformBucketLevelAccess=True,
        publicAccessPrevention="enforced",
        versioning={"enabled": True},
        lifecycleRules=[
            {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 7}},
            {"action": {"type": "Delete"}, "condition": {"daysSinceNoncurrentTime": 30}},
        ],
    )
    program.add(
        "storage/bucketIAMMember:BucketIAMMember",
        "reader",
        bucket=bucket.out("name"),
        role="roles/storage.objectViewer",
        member="serviceAccount:reader@shop-1.iam.gserviceaccount.com",
    )
    return program, bucket
