"""What a component in any program says that no resource shows."""

import pytest

from tests.crossguard.resources import BUDGET, INSTANCE, SPOT
from tests.crossguard.wire import ACCEPTED


def trains(saves):
    return {"purpose": {"trainer": "training"}, "checkpoints": {"trainer": saves}}


@pytest.mark.parametrize("saves", [True, False])
def test_a_component_in_any_program_says_what_no_resource_shows(saves, engine):
    run = engine("spot-checkpoints")
    run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"})
    assert run.show("gpuinfra:index:TrainingNode", "trainer", {"usage": trains(saves)}) == {}
    run.show(INSTANCE, "trainer", SPOT)
    assert ("spot-checkpoints" in run.end()) is not saves


def test_a_component_is_heard_after_another_resource_was_counted(engine):
    run = engine(*BUDGET, settings={**ACCEPTED, "budget": {"per_month": 1000}})
    run.show(INSTANCE, "other", {"instanceType": "t3.micro"})
    usage = {"gigabytes": {"data": "1000000"}}
    run.show("gpuinfra:index:DataBucket", "data", {"usage": usage})

    shown = {"bucket": "data-1", "region": "us-east-1"}
    assert "cap-per-month" in run.show("aws:s3/bucket:Bucket", "data", shown)


def test_a_component_says_nothing_of_caps_and_rules(engine):
    run = engine("spot-checkpoints", *BUDGET)
    messages = run.show(
        "gpuinfra:index:TrainingNode",
        "trainer",
        {
            "usage": trains(saves=False),
            "rules": {"spot-checkpoints": {"level": "disabled"}},
            "budget": {"perHour": "1000"},
        },
    )
    run.show(INSTANCE, "trainer", SPOT)

    assert messages == {}
    assert {"spot-checkpoints", "no-cap"} <= {*run.end()}


def test_what_a_component_says_has_to_make_sense(engine):
    run = engine("spot-checkpoints")
    messages = run.show("gpuinfra:index:TrainingNode", "trainer", {"usage": {"hors": {"a": "4"}}})

    assert "hors" in messages["settings"][0]
