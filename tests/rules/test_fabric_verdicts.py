"""The proof of a fabric: its answer, its rate, which machines it is told of."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN, Fabric, Usage
from gpuinfra.rules import fabric_verdict
from tests.rules.cases.cluster import classic_nics, cluster
from tests.rules.cases.fabric import as_machines, joined
from tests.rules.cases.judging import findings, group, of_resources, plan
from tests.rules.cases.moments import both


def test_the_proof_tells_the_share_of_what_is_declared():
    case = cluster()
    case.program.change(case.template, networkInterfaces=classic_nics(4, case.group.id))
    (proof,) = fabric_verdict(of_resources(case.program.resources()))
    assert (proof.answer, proof.expected_gbs) == ("no", 50)
    assert "at most 50 GB/s per machine (moto" in str(proof)


def test_the_proof_tells_the_whole_rate_and_its_source():
    (proof,) = fabric_verdict(of_resources(cluster().program.resources()))
    assert proof.expected_gbs == 400
    assert proof.source.endswith("instance_types.json, 2026-10-27")
    assert f"; expected 400 GB/s per machine ({proof.source}); unknown: " in str(proof)


def test_no_more_than_the_machine_has_is_promised():
    spoilt = cluster("p4d.24xlarge", nics=lambda group: classic_nics(5, group))
    (proof,) = fabric_verdict(of_resources(spoilt.program.resources()))
    assert proof.expected_gbs == 50


def test_the_slowest_of_several_types_sets_the_rate():
    mixed = group(
        machines=("p5.48xlarge", "p4d.24xlarge"), maximum=4, fabric=joined(placement="cluster")
    )
    (proof,) = fabric_verdict(plan(mixed))
    assert proof.expected_gbs == 50


@pytest.mark.parametrize(
    ("cloud", "machines", "path"),
    [
        ("aws", ["p5.48xlarge"], "NCCL over RDMA"),
        ("aws", ["trn2.48xlarge"], "Neuron collectives over EFA"),
        ("aws", ["p5.48xlarge", "trn2.48xlarge"], "NCCL and Neuron collectives over EFA"),
        ("aws", ["dl2q.24xlarge"], "RDMA between machines"),
        ("gcp", ["a3-highgpu-8g"], "NCCL over GPUDirect-TCPX"),
        ("azure", ["Standard_ND96isr_MI300X_v5"], "RCCL over RDMA"),
    ],
)
@pytest.mark.parametrize("fabric", [joined(), None])
def test_the_answer_names_the_library_of_the_accelerators(cloud, machines, path, fabric):
    made = group(cloud=cloud, machines=tuple(machines), maximum=4, fabric=fabric)
    (proof,) = fabric_verdict(plan(made))
    assert proof.answer_text.startswith(f"{path}: ")


@pytest.mark.parametrize(
    "hidden",
    [
        {"fabric": Fabric(requirement="required", interfaces=UNKNOWN)},
        {"machine": "p9.48xlarge", "fabric": joined()},
        {"machine": "p6e-gb200.36xlarge", "fabric": joined()},
        {"machines": ("p5.48xlarge", "p9.48xlarge"), "fabric": joined()},
        {"machine": "g5.xlarge", "fabric": None},
    ],
)
def test_a_rate_that_nobody_knows_is_not_told(hidden):
    (proof,) = fabric_verdict(plan(group(maximum=4, **hidden)))
    assert (proof.expected_gbs, proof.source) == (None, "")
    assert "GB/s" not in str(proof)


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"maximum": 1, "fabric": None}, 0),
        ({"maximum": 1}, 0),
        ({"maximum": UNKNOWN}, 1),
        ({"maximum": 2, "fabric": None}, 1),
        ({"machine": "g5.8xlarge", "maximum": 2, "fabric": None, "purpose": "unknown"}, 0),
        ({"maximum": 2, "purpose": "unknown"}, 1),
    ],
)
def test_machines_that_train_together_are_proved(given, count):
    machines = group(**{"fabric": joined(), **given})
    assert len(fabric_verdict(plan(machines))) == count


@pytest.mark.parametrize(
    ("machine", "given", "count"),
    [
        ("p4d.24xlarge", {}, 1),
        ("g6e.24xlarge", {}, 0),
        ("p9.48xlarge", {}, 0),
        ("p6-b200.48xlarge", {"purpose": "inference"}, 0),
        ("p6-b200.48xlarge", {"maximum": 1}, 0),
        ("p6-b200.48xlarge", {"machines": ("p9.48xlarge", "p6-b200.48xlarge")}, 1),
    ],
)
def test_machines_that_are_sold_to_train_are_proved_where_nobody_says(machine, given, count):
    machines = group(machine, **{"purpose": "unknown", "maximum": 4, **given})
    proofs = fabric_verdict(plan(machines))
    assert len(proofs) == count
    assert all("no fabric interface is declared" in str(proof) for proof in proofs)


@both
def test_machines_of_a_loop_are_proved_together(moment):
    case = cluster()
    as_machines(case)
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert (proof.name, proof.answer, proof.expected_gbs) == ("worker-0 and 1 more", "yes", 400)
    assert proof.subject.endswith("::worker-0")
    assert len(proof.reasons) == len(set(proof.reasons))
    other = case.program.add(
        "aws:ec2/subnet:Subnet", "b", vpcId="vpc-1", availabilityZone="us-east-1b"
    )
    case.program.change(case.scaling, subnetId=other.id)
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert proof.answer == "no"
    assert proof.reasons == ("it and 1 more are in several zones: us-east-1a, us-east-1b",)
    (change,) = proof.changes
    assert change.startswith("keep the group in one zone: one subnet, one zone; ")
    assert "resources: {worker-0: {fabric: none}}" in change
    judged = findings(of_resources(case.program.resources(moment)), "fabric-one-zone")
    assert [finding.outcome for finding in judged if "more are" in finding.message] == ["violated"]
    alone = Usage(fabric=dict.fromkeys(("worker-0", "worker-1"), "none"))
    apart = of_resources(case.program.resources(moment), usage=alone)
    assert {finding.outcome for finding in findings(apart, "fabric-one-zone")} == {"fine"}


@pytest.mark.parametrize(
    ("other", "count"),
    [
        ({}, 1),
        ({"machine": "p5e.48xlarge"}, 0),
        ({"region": "us-west-2"}, 0),
        ({"purpose": "inference"}, 0),
        ({"maximum": 2}, 1),
        ({"fabric": None}, 0),
        ({"fabric": joined(placement=None)}, 0),
        ({"cloud": "gcp"}, 0),
        ({"subject": "training.other"}, 0),
    ],
)
def test_lone_machines_of_one_kind_and_place_belong_together(other, count):
    placed = joined(placement="cluster")
    facts = {"fabric": placed, "subject": "urn:pulumi:dev::shop::aws:ec2/instance:Instance::a"}
    pair = [group(**facts), group(**{**facts, "name": "other", **other})]
    assert len(fabric_verdict(plan(*pair))) == count


def test_what_a_mandatory_rule_can_t_know_is_no_yes():
    facts = {"one_zone": True, "placement": "cluster", "public_ip": False}
    (yes,) = fabric_verdict(
        plan(group(maximum=2, fabric=joined(**facts, self_ingress=True, self_egress=True)))
    )
    assert (yes.answer, len(yes.unknown_facts)) == ("yes", 1)
    (unsure,) = fabric_verdict(plan(group(maximum=2, fabric=joined(**facts, self_ingress=True))))
    assert unsure.answer == "not knowable yet"
    assert "it is unknown whether its firewall allows outbound" in unsure.reasons[0]
    assert unsure.reasons != unsure.unknown_facts
    (no,) = fabric_verdict(
        plan(group(maximum=2, fabric=joined(**facts, self_ingress=False, driver_image=True)))
    )
    assert (no.answer, len(no.reasons), len(no.unknown_facts)) == ("no", 1, 1)


def test_the_proof_of_a_plan_without_types_goes_by_its_rung():
    placed = joined(placement="cluster")
    urn = "urn:pulumi:dev::shop::aws:ec2/instance:Instance::"
    pair = [
        group(machines=(), fabric=placed, name=name, subject=f"{urn}{name}") for name in ("a", "b")
    ]
    (proof,) = fabric_verdict(plan(*pair))
    assert proof.name == "a and 1 more"
    other = group("p5e.48xlarge", machines=(), fabric=placed, subject=f"{urn}c")
    assert len(fabric_verdict(plan(pair[0], other))) == 0


BARE = {"subject": "urn:pulumi:dev::shop::aws:autoscaling/group:Group::g", "maximum": 4}


def test_what_somebody_says_of_a_fabric_reaches_the_group_of_any_number():
    case = cluster()
    usage = Usage(fabric={"workers": "none"})
    assert [
        group.needs.fabric for group in of_resources(case.program.resources(), usage=usage).groups
    ] == ["none"]


def test_who_can_t_declare_a_fabric_is_told_to_take_machines_that_can():
    there = {**BARE, "purpose": "training"}
    (proof,) = fabric_verdict(plan(group("g6.xlarge", **there)))
    assert proof.reasons == ("g6.xlarge has no fabric interface",)
    assert proof.changes[0].startswith("none if TCP is enough; else fabric: required")
    (demanded,) = fabric_verdict(plan(group(maximum=2)))
    assert demanded.changes[0].startswith("none if TCP is enough; else fabric: required")


def test_who_declines_a_fabric_is_told_to_change_nothing():
    (proof,) = fabric_verdict(plan(group("g6.xlarge", maximum=2, fabric_wish="none")))
    assert (proof.answer, proof.changes) == ("no", ())


def test_one_group_of_several_zones_is_its_own_rule_s_matter():
    zoned = group(maximum=2, fabric=joined(one_zone=True))
    zones = ("us-east-1a", "us-east-1b")
    zoned = replace(zoned, rungs=(replace(zoned.rung, zones=zones),))
    (proof,) = fabric_verdict(plan(zoned))
    assert not any("they stand in several zones" in reason for reason in proof.reasons)
