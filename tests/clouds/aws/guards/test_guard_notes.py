"""What the notes say about guards: delays, ends, and what declared resources do."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any
from unittest import mock

import pytest

from gpuinfra.clouds.aws.observe.machines.time_limits import keeps_disks
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.model import Plan, Resource
from gpuinfra.planning import observed_plan, stack_graph, with_facts
from tests.clouds.aws.guards.stacks import DEV, planned

GUARDED = (
    "budget: {per_month: 9000, notify: [a@example.com], on_breach: stop}\n"
    'training: {dev: {gpu: "L4:1", time_to_live: 3d, idle_stop: {below: 5%, after: 30m}}}\n'
)


def test_notes_say_the_delay_the_ends_and_what_a_person_has_to_do() -> None:
    _, plan = planned(GUARDED)

    text = "\n".join(plan.notes)

    assert "at $9,000.00 a month AWS stops the stack's machines" in text
    assert "this is hours late" in text
    assert "AWS updates the spending every 8 to 12 hours" in text
    assert "until the cost allocation tag gpuinfra:stack is activated" in text
    assert "are found by the tag gpuinfra:stack=lab" in text
    assert "dev is deleted, with its disk, 3d after its first `gpuinfra up`" in text
    (lost,) = plan.disk_loss_notes
    assert lost == (
        "dev is deleted, with its disk, once its GPU use was below 5% for 30 minutes; buckets"
        " and shared storage are kept; all_or_nothing: true with on-demand machines stops it"
        " instead and keeps the disk"
    )
    assert "a@example.com to confirm" in text


@pytest.mark.parametrize(
    ("capacity", "told", "disk_hours"),
    [
        ("on-demand", ("dev is stopped 73h after", "its disk is kept, and billed"), 730),
        (
            "spot",
            ("dev is deleted, with its disk, 73h", "dev is deleted, with its disk, once"),
            73,
        ),
    ],
)
def test_a_stopped_machine_keeps_its_disk_and_an_ended_one_does_not(
    capacity: str, told: tuple[str, ...], disk_hours: int
) -> None:
    _, plan = planned(
        'training: {dev: {gpu: "L4:1", all_or_nothing: true, time_to_live: 73h, '
        f"capacity: {capacity}, idle_stop: {{below: 5%, after: 30m}}}}}}\n"
    )
    quote = estimate(plan, PricingTerms(as_of=date(2026, 11, 23)))
    (disk,) = (line for line in quote.lines if line.kind == "disk")

    assert [words for words in told if words not in all_notes(plan)] == []
    assert disk.per_month == disk.per_hour * disk_hours


def broken(key: str, inputs: Mapping[str, Any] | None) -> Plan:
    """The guarded stack where one resource is gone, or says something else."""
    stack, plan = planned(GUARDED)
    graph = stack_graph(stack, plan)
    if inputs is None:
        graph.resources = {
            other_key: it for other_key, it in graph.resources.items() if other_key != key
        }
    else:
        was = graph.resources[key]
        graph.resources[key] = replace(was, inputs={**was.inputs, **inputs})
    with mock.patch.object(observed_plan, "stack_graph", return_value=graph):
        return with_facts(stack, plan)


@pytest.mark.parametrize(
    ("key", "inputs", "silent"),
    [
        ("stack/us-east-1.dev_end", {"state": "DISABLED"}, "3d after its first `gpuinfra up`"),
        ("stack/us-east-1.dev_idle", None, "GPU use was below"),
        ("stack/us-east-1.stop_rights", {"policy": "{}"}, "GPU use was below"),
        ("stack/us-east-1.stop_rights", {"policy": "{}"}, "AWS stops the stack's machines"),
        ("stack/us-east-1.stop_rights", {"policy": "{}"}, "3d after its first `gpuinfra up`"),
        ("stack/us-east-1.stop_permission", None, "AWS stops the stack's machines"),
        ("stack/us-east-1.stop_permission", None, "GPU use was below"),
        ("stack/us-east-1.clock_rights", {"policy": "{}"}, "3d after its first `gpuinfra up`"),
        ("stack/us-east-1.dev_end", {"scheduleExpression": "at(2099-01-01T00:00:00)"}, "3d after"),
        ("stack/us-east-1.stop_subscription", None, "AWS stops the stack's machines"),
        ("stack/budget", {"notifications": []}, "AWS stops the stack's machines"),
        ("stack/budget", {"costFilters": []}, "is activated"),
        ("stack/budget", {"limitAmount": "1"}, "9,000.00"),
        ("stack/us-east-1.dev_idle", {"threshold": 0.0}, "below 5%"),
        ("stack/us-east-1.dev_idle", {"period": 3600}, "for 30 minutes"),
        ("stack/us-east-1.stop_function", {"deadLetterConfig": None}, "its queue keeps the calls"),
    ],
)
def test_notes_promise_nothing_that_the_declared_resources_do_not_do(
    key: str, inputs: Mapping[str, Any] | None, silent: str
) -> None:
    assert silent in all_notes(planned(GUARDED)[1])

    assert silent not in all_notes(broken(key, inputs))


def all_notes(plan: Plan) -> str:
    return "\n".join((*plan.notes, *plan.disk_loss_notes))


def trusting(service: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Statement": [statement]})


def calling(action: str, resource: str) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    return {"policy": json.dumps({"Statement": [statement]})}


INVOKE = "lambda:InvokeFunction"


OTHERS = "arn:aws:lambda:us-east-1:123456789012:function:other"


@pytest.mark.parametrize(
    ("key", "inputs", "ends"),
    [
        ("dev_end", {"scheduleExpression": "at(2099-01-01T00:00:00)"}, False),
        ("dev_end", {"scheduleExpression": "at(2020-01-01T00:00:00)"}, False),
        ("dev_end", {"scheduleExpression": "cron(0 0 1 1 ? 2099)"}, False),
        ("dev_end", {"startDate": "2099-01-01T00:00:00Z"}, False),
        ("dev_end", {"endDate": "2020-01-01T00:00:00Z"}, False),
        ("dev_end", {"state": "DISABLED"}, False),
        ("dev_end", {"state": "ENABLED"}, True),
        ("clock_rights", {"policy": "{}"}, False),
        ("clock_rights", calling("sqs:SendMessage", "*"), False),
        ("clock_rights", calling(INVOKE, OTHERS), False),
        ("clock_rights", calling(INVOKE, "*"), True),
        ("clock_rights", calling("lambda:*", "arn:aws:lambda:*"), True),
        ("clock_role", {"assumeRolePolicy": trusting("ec2.amazonaws.com")}, False),
        ("clock_role", {"assumeRolePolicy": trusting("scheduler.amazonaws.com")}, True),
    ],
)
def test_a_clock_that_can_not_ring_ends_no_run(
    key: str, inputs: dict[str, Any], ends: bool
) -> None:
    (group,) = broken(f"stack/us-east-1.{key}", inputs).groups

    assert group.lifecycle.ends is ends


@pytest.mark.parametrize(("name", "ends"), [("dev", True), ("dex", False)])
def test_a_clock_of_another_workload_ends_no_run(name: str, ends: bool) -> None:
    stack, plan = planned(GUARDED)
    target = stack_graph(stack, plan).resources["stack/us-east-1.dev_end"].inputs["target"]
    altered = {**target, "input": json.dumps({"workload": name})}

    (group,) = broken("stack/us-east-1.dev_end", {"target": altered}).groups

    assert group.lifecycle.ends is ends


@pytest.mark.parametrize(("name", "stops"), [("dev", True), ("dex", False)])
def test_an_alarm_on_another_workload_stops_no_machine(name: str, stops: bool) -> None:
    looked_at = {"dimensions": {"Stack": "lab", "Workload": name}}

    (group,) = broken("stack/us-east-1.dev_idle", looked_at).groups

    assert group.lifecycle.stops_idle is stops


@pytest.mark.parametrize(("time", "ends"), [("120d", True), ("121d", False)])
def test_a_time_that_no_run_takes_ends_none(time: str, ends: bool) -> None:
    _, plan = planned(f'training: {{dev: {{gpu: "L4:1", time_to_live: {time}}}}}\n')

    assert plan.groups[0].lifecycle.ends is ends


def test_a_stack_without_guards_has_nothing_to_say() -> None:
    _, plan = planned(DEV)

    assert plan.notes == ()


FLEET = "aws:ec2/fleet:Fleet"


ON_DEMAND = {"defaultTargetCapacityType": "on-demand"}


@pytest.mark.parametrize(
    ("kind", "inputs", "kept"),
    [
        (FLEET, {"targetCapacitySpecification": ON_DEMAND}, True),
        (FLEET, {"targetCapacitySpecification": {"defaultTargetCapacityType": "spot"}}, False),
        (
            FLEET,
            {
                "targetCapacitySpecification": {
                    "defaultTargetCapacityType": "spot",
                    "onDemandTargetCapacity": 1,
                }
            },
            True,
        ),
        (
            FLEET,
            {
                "targetCapacitySpecification": ON_DEMAND,
                "validUntil": "2026-12-01T00:00:00Z",
                "terminateInstancesWithExpiration": True,
            },
            False,
        ),
        ("aws:autoscaling/group:Group", {}, False),
    ],
)
def test_a_stop_keeps_the_disks_of_a_fleet_s_machines_on_demand(
    kind: str, inputs: dict[str, Any], kept: bool
) -> None:
    assert keeps_disks(Resource(urn="u", type=kind, name="n", inputs=inputs)) is kept
