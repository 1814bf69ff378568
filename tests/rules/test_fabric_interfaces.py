"""Every interface of a fabric is declared."""

import pytest

from gpuinfra.model import UNKNOWN
from gpuinfra.rules import fabric_verdict
from tests.rules.cases import gcp_cluster
from tests.rules.cases.fabric import joined, training
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.verdicts import verdicts


def test_a_boot_disk_that_a_machine_refuses_is_no_matter_of_its_interfaces():
    case = gcp_cluster.roce()
    case.program.change(
        case.template, disks=[{"boot": True, "sourceImage": "own", "diskType": "pd-ssd"}]
    )
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "fabric-interfaces") == ["fine"]
    (finding,) = findings(judged, "disk-limits")
    assert "a3-ultragpu-8g does not support pd-ssd disks" in finding.message


@pytest.mark.parametrize(
    "machines",
    [
        ("p5.48xlarge", "p6e-gb200.36xlarge"),
        ("p5.48xlarge", "p9.48xlarge"),
        ("p9.48xlarge", "p9.24xlarge"),
    ],
)
def test_an_unknown_number_of_interfaces_is_not_knowable(machines):
    (finding,) = findings(plan(group(machines=machines, fabric=joined())), "fabric-interfaces")
    assert finding.outcome == "not-knowable"
    assert "the number of interfaces of" in finding.message


BARE = {"subject": "urn:pulumi:dev::shop::aws:autoscaling/group:Group::g", "maximum": 4}


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({}, ["violated"]),
        ({"fabric_wish": "none"}, ["not-applicable"]),
        ({"purpose": "unknown"}, ["not-knowable"]),
        ({"purpose": "unknown", "fabric_wish": "none"}, ["not-applicable"]),
        ({"purpose": "inference"}, ["not-applicable"]),
        ({"purpose": "unknown", "fabric_wish": "required"}, ["violated"]),
        ({"maximum": 1}, ["not-applicable"]),
        ({"maximum": 1, "fabric_wish": "required"}, ["violated"]),
        ({"maximum": UNKNOWN}, ["violated"]),
        ({"subject": "training.g"}, ["not-applicable"]),
        ({"machines": ("g6.xlarge",)}, ["not-applicable"]),
        ({"machines": ("g6.xlarge",), "fabric_wish": "required"}, ["violated"]),
        ({"machines": ("p9.48xlarge",), "fabric_wish": "required"}, ["not-knowable"]),
    ],
)
def test_machines_that_train_together_declare_their_fabric(given, outcome):
    judged = plan(group(**{**BARE, **given}))
    assert outcomes(judged, "fabric-interfaces") == outcome


LONE = {"subject": "urn:pulumi:dev::shop::aws:ec2/instance:Instance::a", "maximum": 1}


@pytest.mark.parametrize(
    ("given", "other", "outcome"),
    [
        ({}, {}, ["violated", "violated"]),
        ({"purpose": "unknown"}, {"purpose": "unknown"}, ["not-knowable", "not-knowable"]),
        ({"purpose": "inference"}, {"purpose": "inference"}, ["not-applicable"]),
        ({}, {"purpose": "inference"}, ["not-applicable"]),
        ({}, {"fabric_wish": "none"}, ["not-applicable"]),
        ({}, {"region": "us-west-2"}, ["not-applicable"]),
        ({}, {"machines": ("p4d.24xlarge",)}, ["not-applicable"]),
        ({}, {"subject": "training.b"}, ["not-applicable"]),
        ({}, {"maximum": 2}, ["violated"]),
        ({"machines": ("g6.xlarge",)}, {"machines": ("g6.xlarge",)}, ["not-applicable"]),
    ],
)
def test_machines_that_stand_alone_train_together_when_they_are_several(given, other, outcome):
    second = {**LONE, "subject": LONE["subject"][:-1] + "b", **other}
    judged = plan(group(name="a", **{**LONE, **given}), group(name="b", **second))
    assert outcomes(judged, "fabric-interfaces") == outcome


UNSAID = {**LONE, "purpose": "unknown", "placement_group": "near"}


@pytest.mark.parametrize(
    ("other", "outcome"),
    [
        ({}, ["not-knowable", "not-knowable"]),
        ({"placement_group": "far"}, ["not-applicable"]),
        ({"placement_group": None}, ["not-applicable"]),
        ({"region": "us-west-2"}, ["not-applicable"]),
        ({"purpose": "inference"}, ["not-applicable"]),
        ({"machines": ("g6.xlarge",)}, ["not-applicable"]),
    ],
)
def test_machines_of_two_types_in_one_placement_group_may_train_together(other, outcome):
    second = {**UNSAID, "subject": LONE["subject"][:-1] + "b", "machines": ("p4d.24xlarge",)}
    judged = plan(group(name="a", **UNSAID), group(name="b", **{**second, **other}))
    assert outcomes(judged, "fabric-interfaces") == outcome


def test_machines_of_one_type_are_several_whatever_placement_group_each_is_in():
    second = {**UNSAID, "subject": LONE["subject"][:-1] + "b", "placement_group": "far"}
    judged = plan(group(name="a", **UNSAID), group(name="b", **second))
    assert outcomes(judged, "fabric-interfaces") == ["not-knowable", "not-knowable"]


@pytest.mark.parametrize("maximum", [1, 2])
@pytest.mark.parametrize(
    "token",
    [
        "aws:ec2/capacityReservation:CapacityReservation",
        "gcp:compute/reservation:Reservation",
        "azure-native:compute:CapacityReservation",
    ],
)
def test_capacity_that_is_kept_runs_nothing_that_trains(token, maximum):
    kept = {"subject": f"urn:pulumi:dev::shop::my:Pool$my:Part${token}::r", "maximum": maximum}
    judged = plan(
        group(name="r", **kept, purpose="unknown"), group(name="a", **LONE, purpose="unknown")
    )
    assert outcomes(judged, "fabric-interfaces") == ["not-applicable"]


def test_a_group_that_declares_none_is_told_how_and_how_to_say_that_none_is_meant():
    judged = plan(group(name="g", **BARE), group(name="h", maximum=2, fabric=joined()))
    mine, other = findings(judged, "fabric-interfaces")
    if mine.subject != BARE["subject"]:
        mine, other = other, mine
    assert mine.message.startswith("0 of 32 fabric interfaces of p5.48xlarge are declared")
    assert "resources: {g: {fabric: none}}" in mine.fix
    assert other.subject == "training.trainer"
    (proof, _) = fabric_verdict(judged)
    assert (proof.answer, proof.changes) == (
        "no",
        ("declare the fabric interfaces of its machine type",),
    )


@pytest.mark.parametrize(
    ("interfaces", "outcome", "words"),
    [
        (32, "fine", "32 of 32 interfaces declared"),
        (4, "violated", "4 of 32 fabric interfaces of p5.48xlarge are declared"),
        (UNKNOWN, "not-knowable", "its interfaces are not known yet"),
    ],
)
def test_every_interface_is_declared(interfaces, outcome, words):
    assert verdicts(plan(training(interfaces=interfaces)), "fabric-interfaces") == [
        (outcome, words)
    ]
