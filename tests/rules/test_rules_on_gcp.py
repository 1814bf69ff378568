"""Fabric, spot and security rules on raw resources of strangers on Google Cloud."""

import pytest

from gpuinfra.rules import RULES, fabric_verdict
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.apart import APART
from tests.rules.cases.faults import seen
from tests.rules.cases.gcp_cluster import roce, tcpx, vpc
from tests.rules.cases.gcp_faults import BROKEN, BUCKETS, HIDDEN
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both

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
