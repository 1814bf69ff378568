"""Fabric, spot and security rules on raw resources of strangers on Google Cloud."""

from collections.abc import Callable
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Plan
from gpuinfra.rules import RULES, fabric_verdict
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.apart import APART
from tests.rules.cases.gcp_cluster import SPOT, GcpCluster, roce, tcpx, vpc
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment

Break = Callable[[GcpCluster], None]

FOLLOWS_CLOUD = {"metadata-v2", "disk-encrypted"}
"""What Google always does, whatever is declared."""

ABOUT_THE_JOB = {
    *("spot-checkpoints", "spot-interruptible", "spot-share", "spot-only-pool"),
    "interruption-rate",
}
"""Usage that no resource shows, or what a share of a stack decides: tested without a cloud."""


OF_AWS = {
    *("capacity-block", "spot-allocation", "fabric-cards", "fabric-scale-set", "fabric-one-type"),
    *("fabric-driver", "shared-storage-zone", "eviction-policy"),
}
"""What another cloud does not sell or choose so: see test_static_checks.py."""

IN_THE_TABLE = {"flex-start", "market-offered"}
"""What a truth table tries row by row: see test_google_truth.py."""


def changed(part: str, **inputs: Any) -> Break:
    return lambda case: case.program.change(getattr(case, part), **inputs)


def rewired(number: int, **inputs: Any) -> Break:
    return lambda case: case.rewire(number, **inputs)


def regional(**inputs: Any) -> Break:
    def spoil(case: GcpCluster) -> None:
        case.program.drop(case.group)
        case.group = case.program.add(
            "compute/regionInstanceGroupManager:RegionInstanceGroupManager",
            "workers",
            region="us-central1",
            targetSize=4,
            versions=[{"instanceTemplate": case.template.link}],
            **inputs,
        )

    return spoil


def few_planes(case: GcpCluster) -> None:
    nics = case.interfaces[:3]
    case.program.change(case.template, networkInterfaces=nics)


def one_vpc(case: GcpCluster) -> None:
    case.program.change(case.subnets[2], network=case.networks[1].id)


def denies(case: GcpCluster, network: Any) -> None:
    case.program.add(
        "compute/firewall:Firewall",
        "shut",
        network=network,
        direction="EGRESS",
        priority=10,
        destinationRanges=["10.0.0.0/8"],
        denies=[{"protocol": "all"}],
    )


def closed_out(case: GcpCluster) -> None:
    denies(case, case.networks[3].id)


def closed_somewhere(case: GcpCluster) -> None:
    denies(case, UNKNOWN)


def open_ssh(case: GcpCluster) -> None:
    case.program.add(
        "compute/firewall:Firewall",
        "ssh",
        network=case.networks[0].id,
        sourceRanges=["0.0.0.0/0"],
        allows=[{"protocol": "tcp", "ports": ["22"]}],
    )


def scheduled(**inputs: Any) -> Break:
    return lambda case: case.program.change(case.template, scheduling={**SPOT, **inputs})


BROKEN: dict[str, tuple[Callable[[], GcpCluster], Break, str]] = {
    "fabric-capable": (
        roce,
        changed("template", machineType="g2-standard-48"),
        "g2-standard-48 has no fabric interface",
    ),
    "fabric-interfaces": (tcpx, few_planes, "2 of 4 fabric interfaces of a3-highgpu-8g"),
    "fabric-one-zone": (
        roce,
        regional(distributionPolicyZones=["us-central1-a", "us-central1-b"]),
        "several zones",
    ),
    "fabric-placement": (roce, changed("template", resourcePolicies=None), "no placement"),
    "fabric-self-ingress": (
        tcpx,
        lambda case: case.program.drop(case.firewalls[3]),
        "does not allow inbound traffic from its own group",
    ),
    "fabric-self-egress": (tcpx, closed_out, "does not allow outbound traffic to its own group"),
    "fabric-networks": (tcpx, one_vpc, "2 gVNIC interfaces are in one VPC (gpu-1)"),
    "fabric-public-ip": (roce, rewired(0, accessConfigs=[{}]), "public address"),
    "spot-settings": (roce, scheduled(automaticRestart=True), "spot with automatic restart"),
    "gpu-maintenance": (
        roce,
        changed("template", scheduling={"automaticRestart": False}),
        "set to migrate live at host maintenance",
    ),
    "public-address": (tcpx, rewired(0, accessConfigs=[{}]), "public address"),
    "open-login": (tcpx, open_ssh, "TCP 22 (SSH) of ssh is open to 0.0.0.0/0"),
    "administrator-role": (
        tcpx,
        changed("role", role="roles/editor"),
        "has administrator permissions",
    ),
    "long-lived-key": (
        tcpx,
        changed("template", metadataStartupScript="-----BEGIN PRIVATE KEY-----"),
        "access key",
    ),
}

HIDDEN: dict[str, tuple[Callable[[], GcpCluster], Break]] = {
    "fabric-capable": (roce, changed("template", machineType="a9-hypergpu-8g")),
    "fabric-interfaces": (tcpx, changed("template", networkInterfaces=UNKNOWN)),
    "fabric-one-zone": (roce, regional(distributionPolicyZones=UNKNOWN)),
    "fabric-placement": (roce, changed("template", resourcePolicies="projects/p/by-hand")),
    "fabric-self-ingress": (
        tcpx,
        lambda case: case.program.change(case.firewalls[3], network=UNKNOWN),
    ),
    "fabric-self-egress": (tcpx, closed_somewhere),
    "fabric-networks": (roce, lambda case: case.program.change(case.networks[2], mtu=UNKNOWN)),
    "fabric-public-ip": (roce, rewired(0, accessConfigs=UNKNOWN)),
    "spot-settings": (roce, scheduled(automaticRestart=UNKNOWN)),
    "gpu-maintenance": (roce, scheduled(onHostMaintenance=UNKNOWN)),
    "public-address": (tcpx, rewired(0, accessConfigs=UNKNOWN)),
    "open-login": (tcpx, rewired(0, subnetwork="projects/host/regions/r/subnetworks/theirs")),
    "administrator-role": (tcpx, changed("role", role=UNKNOWN)),
    "long-lived-key": (tcpx, changed("template", metadataStartupScript=UNKNOWN)),
}


def seen(case: GcpCluster, moment: Moment = "created") -> Plan:
    return of_resources(case.program.resources(moment))


def test_every_rule_about_machines_has_a_broken_and_a_hidden_case():
    about = {rule.id for rule in RULES if rule.family in {"fabric", "security", "spot"}}
    judging = {rule for rule in about if not rule.startswith(("bucket", "nvlink", *APART))}
    assert (
        set(BROKEN)
        == set(HIDDEN)
        == (judging - FOLLOWS_CLOUD - ABOUT_THE_JOB - OF_AWS - IN_THE_TABLE)
    )


@both
@pytest.mark.parametrize("make", [tcpx, roce])
@pytest.mark.parametrize("rule", [*BROKEN, *sorted(FOLLOWS_CLOUD)])
def test_a_good_cluster_is_fine(rule, make, moment):
    assert outcomes(seen(make(), moment), rule) == ["fine"]


@both
@pytest.mark.parametrize("rule", BROKEN)
def test_one_broken_thing_violates_its_rule(rule, moment):
    make, spoil, words = BROKEN[rule]
    case = make()
    spoil(case)
    (finding,) = findings(seen(case, moment), rule)
    assert finding.outcome == "violated"
    assert words in finding.message
    assert finding.subject == case.group.urn
    assert finding.fix


@both
@pytest.mark.parametrize("rule", HIDDEN)
def test_what_is_hidden_is_not_knowable_and_refuses(rule, moment):
    make, hide = HIDDEN[rule]
    case = make()
    hide(case)
    (finding,) = findings(seen(case, moment), rule)
    assert finding.outcome == "not-knowable"
    assert finding.refuses


def test_a_cluster_in_networks_of_another_stack_is_not_knowable():
    case = tcpx()
    for number in range(5):
        case.rewire(number, subnetwork=f"projects/host/regions/us-central1/subnetworks/s{number}")
    for rule in ("fabric-networks", "fabric-self-ingress", "fabric-self-egress", "open-login"):
        assert outcomes(seen(case), rule) == ["not-knowable"]


FABRIC = [rule for rule in BROKEN if rule.startswith("fabric")]


@pytest.mark.parametrize("rule", FABRIC)
def test_without_a_fabric_its_rules_do_not_apply(rule):
    assert outcomes(of_resources(stacks.open_machine().resources()), rule) == ["not-applicable"]


def test_a_tutorial_machine_violates_the_basics():
    judged = of_resources(stacks.open_machine().resources())
    basics = ("public-address", "open-login", "administrator-role", "long-lived-key")
    for rule in (*basics, "gpu-maintenance"):
        assert "violated" in outcomes(judged, rule), rule


def test_a_pool_has_no_gpus_that_move_and_no_open_login():
    judged = of_resources(stacks.pool().resources())
    for rule in ("gpu-maintenance", "public-address", "spot-settings", "administrator-role"):
        assert outcomes(judged, rule) == ["fine"], rule


BUCKETS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "bucket-private": ({"publicAccessPrevention": None}, {"publicAccessPrevention": UNKNOWN}),
    "bucket-lifecycle": ({"lifecycleRules": []}, {"lifecycleRules": UNKNOWN}),
    "bucket-versioned": (
        {"versioning": None, "softDeletePolicy": {"retentionDurationSeconds": 0}},
        {
            "versioning": {"enabled": UNKNOWN},
            "softDeletePolicy": {"retentionDurationSeconds": 0},
        },
    ),
    "bucket-versioned-expiry": ({"lifecycleRules": []}, {"lifecycleRules": UNKNOWN}),
}


@both
@pytest.mark.parametrize("rule", BUCKETS)
def test_buckets_fine_violated_and_not_knowable(rule, moment):
    bad, hidden = BUCKETS[rule]
    program, bucket = stacks.good_bucket()
    assert outcomes(of_resources(program.resources(moment)), rule) == ["fine"]
    program.change(bucket, **bad)
    (finding,) = findings(of_resources(program.resources(moment)), rule)
    assert (finding.outcome, finding.subject) == ("violated", bucket.urn)
    program.change(bucket, **hidden)
    assert outcomes(of_resources(program.resources(moment)), rule) == ["not-knowable"]


def test_a_bucket_open_to_everybody_or_to_lists_is_not_private():
    program, bucket = stacks.good_bucket()
    program.change(bucket, uniformBucketLevelAccess=False)
    assert outcomes(of_resources(program.resources()), "bucket-private") == ["violated"]
    program.change(bucket, uniformBucketLevelAccess=True)
    program.add(
        "storage/bucketIAMMember:BucketIAMMember",
        "all",
        bucket=bucket.out("name"),
        member="allUsers",
    )
    assert outcomes(of_resources(program.resources()), "bucket-private") == ["violated"]


def test_cloud_storage_encrypts_and_has_no_setting_for_tls():
    judged = of_resources(stacks.good_bucket()[0].resources())
    assert outcomes(judged, "bucket-encrypted") == ["fine"]
    assert outcomes(judged, "bucket-tls") == ["not-applicable"]


@both
@pytest.mark.parametrize(
    ("make", "over", "count", "open_"),
    [
        (
            tcpx,
            "GPUDirect-TCPX",
            "4 of 4",
            "the firewall allows inbound traffic from its own group",
        ),
        (roce, "RDMA", "8 of 8", "no firewall applies between its interfaces"),
    ],
)
def test_the_proof_says_yes_and_what_it_does_not_know(moment, make, over, count, open_):
    (proof,) = fabric_verdict(seen(make(), moment))
    assert (proof.answer, proof.transport) == ("yes", over)
    words = str(proof)
    for reason in (f"{count} interfaces", "one zone", "compact placement", open_):
        assert reason in words


@pytest.mark.parametrize("rule", FABRIC)
def test_the_proof_says_no_with_the_rule_s_own_words_and_way_out(rule):
    make, spoil, words = BROKEN[rule]
    case = make()
    spoil(case)
    (proof,) = fabric_verdict(seen(case))
    (finding,) = findings(seen(case), rule)
    assert proof.answer == "no"
    assert words in str(proof)
    assert finding.fix in proof.changes


@pytest.mark.parametrize("rule", [rule for rule in HIDDEN if rule.startswith("fabric")])
def test_the_proof_does_not_guess(rule):
    make, hide = HIDDEN[rule]
    case = make()
    hide(case)
    (proof,) = fabric_verdict(seen(case))
    assert proof.answer == "not knowable yet"


def test_a_fault_of_a_network_is_told_by_its_name():
    case = roce()
    vpc(case, "plain", 8896)
    case.rewire(9, subnetwork=case.subnets[-1].id)
    (finding,) = findings(seen(case), "fabric-networks")
    assert "RoCE interfaces are in 2 networks" in finding.message
    assert "(plain) has no network profile" in finding.message


def test_the_price_of_raw_machines_is_known_and_counts_their_disks():
    judged = of_resources(stacks.pool().resources())
    assert outcomes(judged, "price-unknown") == ["fine"]
    open_ = of_resources(stacks.open_machine(machineType="n1-custom-8-53248-ext").resources())
    (finding,) = findings(open_, "price-unknown")
    assert "n1-custom-8-53248-ext+2xT4" in finding.message
