"""Settings of spot machines."""

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts


@pytest.mark.parametrize(
    ("faults", "outcome"), [((), "fine"), (("a", "b"), "violated"), (UNKNOWN, "not-knowable")]
)
def test_settings_fit_the_way_in_which_machines_are_bought(faults, outcome):
    (finding,) = findings(
        plan(group(faults=rule_faults("spot-settings", faults), capacity="spot")), "spot-settings"
    )
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    words = {"fine": "spot settings are valid", "violated": "a; b"}
    assert finding.message == words.get(outcome, "the purchase option is not known yet")


def test_without_machines_no_settings_are_judged():
    assert outcomes(plan(), "spot-settings") == ["not-applicable"]


@pytest.mark.parametrize(
    ("action", "outcome"),
    [("HIBERNATE", "violated"), ("STOP", "fine"), ("DELETE", "fine"), (UNKNOWN, "not-knowable")],
)
def test_a_spot_machine_of_google_stops_or_goes(action, outcome):
    scheduling = {
        "provisioningModel": "SPOT",
        "preemptible": True,
        "automaticRestart": False,
        "instanceTerminationAction": action,
    }
    program = gcp_stacks.open_machine(scheduling=scheduling)
    ((shown, message),) = verdicts(of_resources(program.resources()), "spot-settings")
    assert shown == outcome
    assert ("unknown termination action HIBERNATE: use STOP or DELETE" in message) == (
        outcome == "violated"
    )


INSTANCE = "aws:ec2/instance:Instance"
GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"


@both
@pytest.mark.parametrize("place", ["instance", "group"])
def test_nothing_stops_in_a_placement_group(place, moment):
    program = Program()
    close = program.add(PLACEMENT, "close", strategy="cluster")
    options = {
        "marketType": "spot",
        "spotOptions": {
            "instanceInterruptionBehavior": "stop",
            "spotInstanceType": "persistent",
        },
    }
    if place == "instance":
        program.add(
            INSTANCE,
            "workers",
            instanceType="g6.xlarge",
            availabilityZone="us-east-1a",
            placementGroup=close.out("name"),
            instanceMarketOptions=options,
        )
    else:
        template = program.add(
            TEMPLATE, "node", instanceType="g6.xlarge", instanceMarketOptions=options
        )
        program.add(
            GROUP,
            "workers",
            maxSize=1,
            placementGroup=close.out("name"),
            launchTemplate={"id": template.id},
        )
    (finding,) = findings(of_resources(program.resources(moment)), "spot-settings")
    assert finding.outcome == "violated"
    assert "is in a placement group, where it can" in finding.message


def test_auto_scaling_asks_for_each_machine_only_once():
    program = Program()
    options = {"marketType": "spot", "spotOptions": {"instanceInterruptionBehavior": "hibernate"}}
    template = program.add(
        TEMPLATE, "node", instanceType="g6.xlarge", instanceMarketOptions=options
    )
    program.add(GROUP, "workers", maxSize=1, launchTemplate={"id": template.id})
    (finding,) = findings(of_resources(program.resources()), "spot-settings")
    assert finding.outcome == "violated"
    assert "is started by Auto Scaling, which requests each" in finding.message
