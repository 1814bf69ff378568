"""Fabric and security rules on raw resources of strangers, none of our tags among them."""

import pytest

from gpuinfra.rules import RULES, fabric_verdict
from tests.rules.cases import stacks
from tests.rules.cases.apart import APART
from tests.rules.cases.aws_faults import BROKEN, BUCKETS, HIDDEN
from tests.rules.cases.cluster import classic_nics, cluster, current_nics
from tests.rules.cases.faults import seen
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

OF_A_FABRIC = ("fabric-driver", "fabric-networks", "fabric-one-type", "fabric-scale-set", "shared")
"""Rules whose own modules judge them on clouds that have what they ask."""


def test_every_rule_about_machines_has_a_broken_and_a_hidden_case():
    about = {rule.id for rule in RULES if rule.family in {"fabric", "security"}}
    elsewhere = ("bucket", "nvlink", "gpu-maintenance", *OF_A_FABRIC, *APART)
    judging = {rule for rule in about if not rule.startswith(elsewhere)}
    assert set(BROKEN) == set(HIDDEN) == judging


@both
@pytest.mark.parametrize("rule", BROKEN)
def test_a_good_cluster_is_fine(rule, moment):
    assert outcomes(seen(cluster(), moment), rule) == ["fine"]


@both
@pytest.mark.parametrize("rule", BROKEN)
def test_one_broken_thing_violates_its_rule(rule, moment):
    case = cluster()
    spoil, words = BROKEN[rule]
    spoil(case)
    (finding,) = findings(seen(case, moment), rule)
    assert finding.outcome == "violated"
    assert words in finding.message
    assert finding.subject == case.scaling.urn
    assert finding.fix


@pytest.mark.parametrize("rule", HIDDEN)
def test_what_is_hidden_is_not_knowable_and_refuses(rule):
    case = cluster()
    HIDDEN[rule](case)
    (finding,) = findings(seen(case), rule)
    assert finding.outcome == "not-knowable"
    assert finding.refuses


@pytest.mark.parametrize("rule", [rule for rule in BROKEN if rule.startswith("fabric")])
def test_without_a_fabric_its_rules_do_not_apply(rule):
    assert outcomes(of_resources(stacks.open_machine().resources()), rule) == ["not-applicable"]


def test_a_tutorial_machine_violates_every_basic():
    judged = of_resources(stacks.open_machine().resources())
    basics = [rule for rule in BROKEN if not rule.startswith("fabric")]
    assert {rule: outcomes(judged, rule) for rule in basics} == {
        rule: ["violated"] for rule in basics
    }


@pytest.mark.parametrize("layout", ["classic", "current"])
def test_both_layouts_of_interfaces_are_fine(layout):
    nics = classic_nics if layout == "classic" else current_nics
    case = cluster(nics=lambda group: nics(32, group))
    assert outcomes(seen(case), "fabric-interfaces") == ["fine"]


def test_a_fault_is_told_in_words():
    case = cluster("p4d.24xlarge", nics=lambda group: classic_nics(5, group))
    (finding,) = findings(seen(case), "fabric-cards")
    assert "p4d.24xlarge has cards 0 to 3" in finding.message


def test_a_capacity_block_wants_no_placement_group():
    case = cluster()
    block = {"instanceMarketOptions": {"marketType": "capacity-block"}}
    case.program.change(case.template, **block)
    (finding,) = findings(seen(case), "fabric-placement")
    assert finding.outcome == "violated"
    assert "remove the placement group" in finding.fix
    case.program.change(case.template, placement=None)
    assert outcomes(seen(case), "fabric-placement") == ["fine"]


def test_every_rule_about_buckets_has_a_case():
    about = {rule.id for rule in RULES if rule.id.startswith("bucket")}
    assert set(BUCKETS) == about - {"bucket-safeguards"}


@both
@pytest.mark.parametrize("rule", BUCKETS)
def test_buckets_fine_violated_and_not_knowable(rule, moment):
    part, bad, hidden = BUCKETS[rule]
    program, bucket, parts = stacks.good_bucket()
    assert outcomes(of_resources(program.resources(moment)), rule) == ["fine"]
    program.change(parts[part], **bad)
    (finding,) = findings(of_resources(program.resources(moment)), rule)
    assert (finding.outcome, finding.subject) == ("violated", bucket.urn)
    program.change(parts[part], **hidden)
    assert outcomes(of_resources(program.resources(moment)), rule) == ["not-knowable"]
    assert outcomes(of_resources([]), rule) == ["not-applicable"]


@both
def test_s3_encrypts_what_declares_nothing(moment):
    program = Program()
    bucket = program.add("aws:s3/bucket:Bucket", "data")
    assert outcomes(of_resources(program.resources(moment)), "bucket-encrypted") == ["fine"]
    program.change(bucket, serverSideEncryptionConfiguration={"rule": {}})
    assert outcomes(of_resources(program.resources(moment)), "bucket-encrypted") == ["violated"]


def test_a_bucket_whose_writers_own_their_objects_is_not_private():
    program, _, parts = stacks.good_bucket()
    program.change(parts["owner"], rule={"objectOwnership": "ObjectWriter"})
    (finding,) = findings(of_resources(program.resources()), "bucket-private")
    assert finding.outcome == "violated"
    assert "BucketOwnerEnforced" in finding.fix


def test_an_unversioned_bucket_needs_only_its_uploads_to_expire():
    program, _, parts = stacks.good_bucket()
    program.change(parts["versioning"], versioningConfiguration={"status": "Disabled"})
    (rule,) = parts["lifecycle"].inputs["rules"]
    rest = {key: value for key, value in rule.items() if not key.startswith("noncurrent")}
    program.change(parts["lifecycle"], rules=[rest])
    expiry = "bucket-versioned-expiry"
    assert outcomes(of_resources(program.resources()), expiry) == ["fine"]
    program.change(parts["lifecycle"], rules=[])
    assert "incomplete" in findings(of_resources(program.resources()), expiry)[0].message


@both
def test_the_proof_says_yes_and_what_it_does_not_know(moment):
    (proof,) = fabric_verdict(seen(cluster(), moment))
    assert str(proof) == (
        "workers: NCCL over RDMA: yes, because p5.48xlarge supports the fabric, 32 of "
        "32 interfaces declared, each interface is on an existing network card, all "
        "machines are p5.48xlarge, one zone, cluster placement, the firewall allows "
        "inbound traffic from its own group, the firewall allows outbound traffic to "
        "its own group, no public address; expected 400 GB/s per machine (moto 5.2.5 "
        "(PyPI) moto/ec2/resources/instance_types.json, 2026-10-27); unknown: could "
        "not verify that its image includes the fabric driver and the NCCL plugin"
    )


@pytest.mark.parametrize("rule", [rule for rule in BROKEN if rule.startswith("fabric")])
def test_the_proof_says_no_with_the_rule_s_own_words_and_way_out(rule):
    case = cluster()
    spoil, words = BROKEN[rule]
    spoil(case)
    (proof,) = fabric_verdict(seen(case))
    (finding,) = findings(seen(case), rule)
    assert proof.answer == "no"
    assert words in str(proof)
    assert finding.fix in proof.changes


@pytest.mark.parametrize("rule", [rule for rule in HIDDEN if rule.startswith("fabric")])
def test_the_proof_does_not_guess(rule):
    case = cluster()
    HIDDEN[rule](case)
    (proof,) = fabric_verdict(seen(case))
    assert proof.answer == "not knowable yet"


def test_the_proof_names_a_driver_image_where_it_is_known():
    case = cluster()
    image = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base-oss/latest/ami-id"
    case.program.change(case.template, imageId=image)
    (proof,) = fabric_verdict(seen(case))
    assert (proof.reasons[-1], proof.unknown_facts) == ("driver image", ())


def test_single_machines_and_pools_need_no_proof():
    assert fabric_verdict(of_resources(stacks.open_machine().resources())) == ()
    assert fabric_verdict(of_resources(stacks.mixed_pool().resources())) == ()
