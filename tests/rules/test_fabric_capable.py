"""Machines that support the fabric that is requested of them."""

from dataclasses import replace

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import joined, training
from tests.rules.cases.judging import findings, group, outcomes, plan


def test_a_machine_whose_fabric_is_unknown_is_not_knowable():
    unknown = group("p6e-gb200.36xlarge", fabric=joined())
    (finding,) = findings(plan(unknown), "fabric-capable")
    assert (finding.outcome, finding.message) == (
        "not-knowable",
        "it is unknown whether p6e-gb200.36xlarge supports a fabric",
    )


def test_all_machines_of_a_group_are_named_where_they_support_the_fabric() -> None:
    (mixed,) = findings(
        plan(replace(training(), machines=("p5.48xlarge", "p5e.48xlarge"))), "fabric-capable"
    )
    (single,) = findings(plan(replace(training(), machines=())), "fabric-capable")

    assert mixed.message == "p5.48xlarge, p5e.48xlarge supports the fabric"
    assert single.message == "p5.48xlarge supports the fabric"


@pytest.mark.parametrize(
    ("machine", "outcome"),
    [("p5.48xlarge", "fine"), ("g5.xlarge", "violated"), ("p9.48xlarge", "not-knowable")],
)
def test_a_machine_supports_the_fabric(machine, outcome):
    assert outcomes(plan(group(machine, fabric=joined())), "fabric-capable") == [outcome]


def test_without_a_fabric_any_machine_will_do():
    assert outcomes(plan(group("g5.xlarge")), "fabric-capable") == ["not-applicable"]


GROUP_URN = "urn:pulumi:dev::p::aws:autoscaling/group:Group::trainer"


@pytest.mark.parametrize(
    ("changes", "subject", "outcome"),
    [
        ({"driver_image": False}, "training.trainer", "violated"),
        ({"driver_image": UNKNOWN}, "training.trainer", "fine"),
        ({"driver_image": False, "requirement": "preferred"}, "training.trainer", "fine"),
        (
            {"driver_image": False},
            GROUP_URN,
            "fine",
        ),
    ],
)
def test_machines_that_have_to_be_joined_need_an_image_that_can_be(changes, subject, outcome):
    joined_machines = replace(training(**changes), subject=subject)
    assert outcomes(plan(joined_machines), "fabric-capable") == [outcome]
    required = replace(joined_machines, needs=replace(joined_machines.needs, fabric="required"))
    refused = "violated" if changes == {"driver_image": False} else outcome
    assert outcomes(plan(required), "fabric-capable") == [refused]


def test_one_machine_is_joined_to_none() -> None:
    single = replace(training(driver_image=False), minimum=1, maximum=1)
    assert outcomes(plan(single), "fabric-capable") == ["fine"]
