"""Node pools of GKE: counted, paid, refused, not forgotten."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.gcp.observe.observed import only, paid
from tests.rules.cases import gcp_stacks as stacks


@pytest.mark.parametrize(
    ("pool", "cluster", "expected"),
    [
        ({"nodeCount": 2}, {}, (6, 6)),
        ({"nodeCount": 2, "nodeLocations": ["us-central1-a"]}, {}, (2, 2)),
        ({"nodeCount": 2}, {"location": "us-central1-a"}, (2, 2)),
        (
            {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 4}},
            {"nodeLocations": ["us-central1-a", "us-central1-b"]},
            (2, 8),
        ),
        ({"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 5}}, {}, (0, 5)),
        ({"autoscaling": {"maxNodeCount": UNKNOWN}}, {}, (0, UNKNOWN)),
        ({"nodeCount": 2, "nodeLocations": UNKNOWN}, {}, (UNKNOWN, UNKNOWN)),
        ({"nodeCount": 2, "nodeLocations": []}, {}, (6, 6)),
        ({"nodeCount": 2, "nodeLocations": []}, {"location": UNKNOWN}, (UNKNOWN, UNKNOWN)),
        ({"nodeCount": 2, "nodeLocations": []}, {"nodeLocations": UNKNOWN}, (UNKNOWN, UNKNOWN)),
        ({"nodeCount": 40, "autoscaling": {"maxNodeCount": 1}}, {}, (0, 120)),
        ({"initialNodeCount": 5, "autoscaling": {"totalMaxNodeCount": 4}}, {}, (0, 15)),
        ({"nodeCount": UNKNOWN, "autoscaling": {"maxNodeCount": 1}}, {}, (0, UNKNOWN)),
        ({"initialNodeCount": 1}, {"location": UNKNOWN}, (UNKNOWN, UNKNOWN)),
        ({"nodeCount": 2}, {"location": None}, (2, 2)),
        ({"nodeCount": 2}, {"location": None, "nodeLocations": ["us-central1-b"]}, (4, 4)),
        ({"nodeCount": 2, "location": UNKNOWN}, {"location": None}, (UNKNOWN, UNKNOWN)),
    ],
)
def test_the_nodes_of_a_gke_pool_are_counted_in_all_its_zones(pool, cluster, expected):
    group = only(stacks.gke({"nodeConfig": stacks.NODES, **pool}, **cluster))
    assert (group.minimum, group.maximum) == expected
    assert (group.rung.machine, group.rung.capacity) == ("a2-highgpu-1g", "spot")
    assert (faults_of(group.faults, "spot-settings"), group.lifecycle.maintenance) == ((), True)


def test_a_gke_pool_pays_for_disks_and_addresses_and_its_cluster_by_the_hour():
    program = stacks.gke({"nodeConfig": stacks.NODES, "nodeCount": 1})
    assert paid(program) == {
        "gke-cluster-hour": ("1", False),
        "pd-balanced-storage": ("200", True),
        "external-ip-in-use-hour": ("1", True),
    }
    private = stacks.gke(
        {"nodeConfig": stacks.NODES, "networkConfig": {"enablePrivateNodes": True}}
    )
    assert only(private).safety.public_ip is False


@pytest.mark.parametrize(
    ("pool", "cluster", "public"),
    [
        (
            {"enablePrivateNodes": False},
            {"privateClusterConfig": {"enablePrivateNodes": True}},
            True,
        ),
        ({"enablePrivateNodes": True}, {}, False),
        ({}, {"privateClusterConfig": {"enablePrivateNodes": True}}, False),
        ({}, {"networkConfig": {"defaultEnablePrivateNodes": True}}, False),
        ({}, {}, True),
    ],
)
def test_a_pool_says_whether_its_nodes_are_private_and_else_its_cluster(pool, cluster, public):
    program = stacks.gke({"nodeConfig": stacks.NODES, "networkConfig": pool}, **cluster)
    assert only(program).safety.public_ip is public


@pytest.mark.parametrize(
    "asked",
    [
        {"localSsdCount": 2},
        {"ephemeralStorageConfig": {"localSsdCount": 2}},
        {"ephemeralStorageLocalSsdConfig": {"localSsdCount": 1, "dataCacheCount": 1}},
        {"linuxNodeConfig": {"swapConfig": {"dedicatedLocalSsdProfile": {"diskCount": "2"}}}},
    ],
)
def test_local_disks_of_a_node_are_paid_whatever_they_are_for(asked):
    (disks, more) = (
        [item for item in observe(program.resources()).items if item.item == "local-ssd-storage"]
        for program in (
            stacks.gke({"nodeConfig": {**stacks.NODES, **config}, "nodeCount": 1})
            for config in (asked, {"linuxNodeConfig": {"swapConfig": {"enabled": True}}})
        )
    )
    assert ([disk.quantity for disk in disks], more) == ([375, 375], [])


def test_swap_on_local_disks_without_a_number_has_no_known_price():
    swap = {"linuxNodeConfig": {"swapConfig": {"dedicatedLocalSsdProfile": {"x": 1}}}}
    program = stacks.gke({"nodeConfig": {**stacks.NODES, **swap}, "nodeCount": 1})
    assert UNKNOWN in [item.quantity for item in observe(program.resources()).items]


def test_disks_in_a_node_are_paid_by_whatever_name_they_are_asked_for():
    image = {**stacks.NODES, "secondaryBootDisks": [{"diskImage": "global/images/cache"}]}
    (disk,) = (
        item
        for item in observe(stacks.gke({"nodeConfig": image, "nodeCount": 1}).resources()).items
        if item.quantity is UNKNOWN and "balanced" in item.item
    )
    assert disk.name == "boot disk, sized by its image"


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ({"nodeConfig": {**stacks.NODES, "flexStart": True}}, "both flex-start and spot"),
        (
            {"nodeConfig": stacks.NODES, "queuedProvisioning": {"enabled": True}},
            "queued provisioning of spot nodes",
        ),
        (
            {
                "nodeConfig": {"machineType": "a2-highgpu-1g"},
                "queuedProvisioning": {"enabled": True},
                "placementPolicy": {"type": "COMPACT"},
            },
            "queued provisioning in a compact placement",
        ),
        (
            {
                "nodeConfig": {
                    "machineType": "a2-highgpu-1g",
                    "flexStart": True,
                    "maxRunDuration": "3600s",
                }
            },
            "flex-start with auto-repair",
        ),
    ],
)
def test_what_gke_refuses_is_told_in_words(pool, words):
    faults = faults_of(only(stacks.gke({"nodeCount": 1, **pool})).faults, "flex-start")
    assert words in faults


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"enableAutopilot": True}, "an Autopilot cluster is billed by its pods,"),
        ({"removeDefaultNodePool": False}, "its default node pools are not counted: declare"),
        ({"nodePools": [{"nodeCount": 3}]}, "its default node pools are not counted: declare"),
    ],
)
def test_what_is_inside_a_gke_cluster_is_not_forgotten(inputs, words):
    missing = observe(stacks.gke({"nodeConfig": stacks.NODES}, **inputs).resources()).not_judged
    assert [words in row.reason for row in missing] == [True]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    ("config", "refused_from"),
    [
        (None, None),
        ({"serviceAccount": "nodes@shop-1.iam.gserviceaccount.com"}, None),
        ({"machineType": "e2-standard-4"}, None),
        ({"machineType": "n2-standard-4"}, 3),
        ({"machineType": "a3-highgpu-8g"}, 1),
        ({"machineType": "m3-ultramem-128"}, 1),
        ({"guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 1}]}, 1),
        (
            {
                "machineType": "n1-standard-4",
                "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 1}],
            },
            1,
        ),
        ({"machineType": UNKNOWN}, 1),
        (UNKNOWN, 1),
    ],
)
def test_a_default_pool_that_goes_again_is_no_way_to_start_gpus(config, refused_from, count):
    """The provider makes the pool with these nodes before it deletes it."""
    settings = {} if config is None else {"nodeConfig": config}
    program = stacks.gke({"nodeConfig": stacks.NODES}, initialNodeCount=count, **settings)
    reasons = [row.reason for row in observe(program.resources("preview")).not_judged]

    expected = refused_from is not None and count >= refused_from
    assert any("before remove_default_node_pool" in each for each in reasons) == expected
    made = [row.reason for row in observe(program.resources("created")).not_judged]
    assert not any("before remove_default_node_pool" in each for each in made)


@pytest.mark.parametrize(
    ("nodes", "role", "administrator"),
    [
        ({}, "", False),
        ({"serviceAccount": "default"}, "", False),
        ({"oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"]}, "", UNKNOWN),
        ({"oauthScopes": UNKNOWN}, "", UNKNOWN),
        ({"serviceAccount": UNKNOWN}, "", UNKNOWN),
        ({"serviceAccount": "work@other.iam.gserviceaccount.com"}, "", UNKNOWN),
        ("ours", "roles/container.defaultNodeServiceAccount", False),
        ("ours", "roles/editor", True),
    ],
)
def test_nodes_have_the_scopes_that_gke_gives_their_account(nodes, role, administrator):
    program = stacks.gke({"nodeConfig": stacks.NODES})
    if nodes == "ours":
        account = program.add("serviceaccount/account:Account", "nodes", accountId="nodes")
        program.add(
            "projects/iAMMember:IAMMember", "role", role=role, member=account.out("member")
        )
        nodes = {"serviceAccount": account.out("email")}
    pool = next(handle for handle in program.handles.values() if handle.name == "gpus")
    kept = {
        key: value
        for key, value in stacks.NODES.items()
        if key not in {"serviceAccount", "oauthScopes"}
    }
    program.change(pool, nodeConfig={**kept, **nodes})
    assert only(program).safety.administrator is administrator


def test_a_pool_that_says_nothing_of_its_nodes_has_the_default_ones():
    program = stacks.gke({"nodeCount": 2})
    group = only(program)
    assert (group.rung.machine, group.maximum) == ("e2-medium", 6)
    assert group.safety.administrator is False
    assert paid(program)["pd-balanced-storage"] == ("100", True)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ({"machineType": "a3-ultragpu-8g"}, ""),
        ({"machineType": "a4-highgpu-8g", "secondaryBootDisks": [{"diskImage": "i"}]}, ""),
        ({"machineType": "g2-standard-4"}, ""),
        ({"machineType": "g2-standard-4", "diskType": "pd-ssd"}, ""),
        ({"machineType": "a3-ultragpu-8g", "diskType": "pd-balanced"}, "pd-balanced"),
        ({"machineType": "g2-standard-4", "diskType": "hyperdisk-balanced"}, "hyperdisk-balanced"),
        ({"machineType": "g2-standard-24", "localSsdCount": 1}, "1 local SSDs: attach 2"),
        (
            {
                "machineType": "g2-standard-24",
                "ephemeralStorageLocalSsdConfig": {"localSsdCount": 2},
            },
            "",
        ),
        ({"machineType": "e2-standard-4", "localSsdCount": 1}, "does not support local SSDs"),
        (
            {"machineType": "a3-ultragpu-8g", "bootDisk": {"diskType": "hyperdisk-ml"}},
            "machines can't start from a hyperdisk-ml disk",
        ),
    ],
)
def test_the_disks_of_nodes_are_those_that_their_machine_takes(nodes, message):
    group = only(stacks.gke({"nodeConfig": nodes, "nodeCount": 1}))
    faults = faults_of(group.faults, "disk-limits")
    assert (len(faults), message in "".join(faults)) == (bool(message), True)


def test_nodes_of_a_machine_without_persistent_disks_start_from_hyperdisk():
    priced = paid(stacks.gke({"nodeConfig": {"machineType": "a4-highgpu-8g"}, "nodeCount": 1}))
    assert priced["hyperdisk-balanced-storage"] == ("100", True)
    assert "pd-balanced-storage" not in priced


@pytest.mark.parametrize(
    ("scaling", "refused"),
    [
        ({"minNodeCount": 1, "maxNodeCount": 2}, False),
        ({"totalMinNodeCount": 1, "totalMaxNodeCount": 2}, False),
        ({"minNodeCount": 0, "maxNodeCount": 0, "totalMaxNodeCount": 2}, False),
        ({"minNodeCount": 1, "maxNodeCount": 2, "totalMaxNodeCount": 2}, True),
        ({"minNodeCount": 1, "totalMaxNodeCount": 2}, True),
    ],
)
def test_a_pool_scales_per_zone_or_over_all_zones(scaling, refused):
    group = only(stacks.gke({"nodeConfig": stacks.NODES, "autoscaling": scaling}))
    found = faults_of(group.faults, "scaling-settings")
    assert any("state one pair" in fault for fault in found) is refused
