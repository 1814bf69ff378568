"""Hibernation of raw machines on AWS: no machine with a GPU may."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"
NEVER = "is set to hibernate, and AWS machines with a GPU can't:"
LAUNCH, SPOT = "launch-settings", "spot-settings"


def judged(rule: str, token: str = INSTANCE, **inputs: Any) -> list[tuple[str, str]]:
    program = Program()
    program.add(token, "box", **{"instanceType": "g6.xlarge", **inputs})
    return verdicts(of_resources(program.resources()), rule)


def spot(behavior: Any) -> dict[str, Any]:
    options = {"spotInstanceType": "persistent", "instanceInterruptionBehavior": behavior}
    return {"marketType": "spot", "spotOptions": options}


@pytest.mark.parametrize("machine", ["g6.xlarge", "p5.48xlarge"])
def test_a_machine_with_a_gpu_does_not_hibernate(machine):
    ((outcome, words),) = judged(LAUNCH, instanceType=machine, hibernation=True)
    assert outcome == "violated"
    assert words == f"{machine} {NEVER} remove hibernation"


@pytest.mark.parametrize("wish", [{"hibernation": False}, {"hibernation": UNKNOWN}, {}])
def test_who_does_not_surely_ask_is_fine(wish):
    ((outcome, _),) = judged(LAUNCH, **wish)
    assert outcome == "fine"


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ({"configured": True}, "violated"),
        ({"configured": "true"}, "violated"),
        ({"configured": False}, "fine"),
        ({}, "fine"),
        (UNKNOWN, "fine"),
    ],
)
def test_a_template_says_it_in_its_own_words(options, outcome):
    program = Program()
    node = program.add(TEMPLATE, "node", instanceType="g6.xlarge", hibernationOptions=options)
    program.add(
        "aws:autoscaling/group:Group", "workers", maxSize=2, launchTemplate={"id": node.id}
    )
    ((shown, _),) = verdicts(of_resources(program.resources()), LAUNCH)
    assert shown == outcome


@pytest.mark.parametrize("machine", ["g6.xlarge", "p5.48xlarge"])
def test_a_spot_machine_with_a_gpu_does_not_hibernate(machine):
    options = {"instanceType": machine, "instanceMarketOptions": spot("hibernate")}
    ((outcome, words),) = judged(SPOT, **options)
    assert outcome == "violated"
    assert words == (
        f"{machine} on spot {NEVER} set instance_interruption_behavior to stop or terminate"
    )


@pytest.mark.parametrize("behavior", ["stop", "terminate", UNKNOWN, None])
def test_a_spot_machine_may_do_otherwise(behavior):
    ((outcome, _),) = judged(SPOT, instanceMarketOptions=spot(behavior))
    assert outcome == "fine"


def test_a_spot_request_is_asked_in_its_own_words():
    ((outcome, words),) = judged(SPOT, REQUEST, instanceInterruptionBehavior="hibernate")
    assert outcome == "violated"
    assert "set instance_interruption_behavior to stop or terminate" in words


def test_nobody_says_so_of_a_machine_that_no_table_has():
    ((outcome, _),) = judged(LAUNCH, instanceType="g99.xlarge", hibernation=True)
    assert outcome == "fine"
