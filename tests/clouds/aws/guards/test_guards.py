"""What looks after a stack, as facts: alarms, what they cost, and what no alarm can tell."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.guards import alarms as guards_alarms
from gpuinfra.clouds.aws.guards.alarms import DAY, HOUR, MAX_LOOKBACK, MINUTE, spans
from gpuinfra.clouds.aws.guards.request import guards_of
from gpuinfra.clouds.aws.observe.time_limits import keeps_disks
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.errors import InputError
from gpuinfra.model import Plan, Resource
from gpuinfra.planning import from_stack, observed_plan, stack_graph, with_facts
from gpuinfra.planning.declared_stack import stack_spec
from gpuinfra.specs import Stack
from gpuinfra.stackfile import loads

HEAD = """\
version: 1
name: lab
owner: ml-platform
where: {cloud: aws, regions: [us-east-1]}
"""
DEV = 'training: {dev: {gpu: "L4:1"}}\n'


def planned(text: str) -> tuple[Stack, Plan]:
    stack = loads(HEAD + text).stack
    return stack, from_stack(stack)


def kinds(text: str) -> set[tuple[str, str]]:
    stack, plan = planned(text)
    return {
        (alarm.workload, alarm.kind)
        for alarm in guards_of(stack_spec(stack, "us-east-1"), stack, plan.groups).alarms
    }


def paid(text: str) -> list[str]:
    """What is paid of the stack itself, beside its workloads."""
    _, plan = planned(text)
    return sorted(item.item for item in plan.items if item.name == plan.name)


@given(st.timedeltas(min_value=timedelta(seconds=1), max_value=MAX_LOOKBACK))
def test_an_alarm_looks_back_at_least_the_time_and_no_further_than_it_can(
    after: timedelta,
) -> None:
    period, count = spans(after)

    assert period in {MINUTE, guards_alarms.PERIOD, HOUR}
    assert after.total_seconds() - 1 < period * count < after.total_seconds() + 3600
    assert period * count <= (7 * DAY if period == HOUR else DAY)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (timedelta(minutes=30), (300, 6)),
        (timedelta(minutes=7), (60, 7)),
        (timedelta(hours=36), (3600, 36)),
        (timedelta(seconds=30), (60, 1)),
    ],
)
def test_figures_of_five_minutes_where_they_come_out_even(
    after: timedelta, expected: tuple[int, int]
) -> None:
    assert spans(after) == expected


def test_nothing_is_made_unless_it_is_asked_for() -> None:
    assert paid(DEV) == []
    assert paid("budget: {per_month: 9000, notify: [a@example.com]}\n" + DEV) == []


def test_each_word_brings_its_own_rows() -> None:
    function = ["cloudwatch-logs-archive", "cloudwatch-logs-ingest"]
    function += ["lambda-duration", "lambda-requests"]

    assert paid("budget: {per_month: 9000, on_breach: stop}\n" + DEV) == sorted(
        [*function, "kms-key", "kms-requests", "sns-requests", "sqs-requests"]
    )
    assert paid('training: {dev: {gpu: "L4:1", time_to_live: 3d}}\n') == sorted(
        [*function, "scheduler-invocations", "sqs-requests"]
    )


def test_idle_stop_is_the_idle_alarm() -> None:
    stop = 'training: {dev: {gpu: "L4:1", idle_stop: {below: 5%, after: 30m}}}\n'
    watched = {("dev", kind) for kind in ("idle", "memory", "xid", "ecc")}

    assert kinds(stop) == {("dev", "idle")}
    assert kinds("monitoring: {}\n" + stop) == watched
    assert kinds("monitoring: {}\n" + DEV) == watched
    assert kinds("monitoring: {alarms: false}\n" + DEV) == set()


def test_what_no_agent_reads_has_no_alarm_on_it() -> None:
    chips = "training: {run: {instance: trn1.32xlarge}}\n"

    assert kinds("monitoring: {}\n" + chips) == set()


def test_only_a_run_that_saves_itself_tells_of_interruptions() -> None:
    """The agent that counts them comes with checkpoints."""
    saving = DEV.replace("}}", ", checkpoints: {bucket: data}}}") + "buckets: {data: {}}\n"

    assert kinds("monitoring: {}\n" + saving) - kinds("monitoring: {}\n" + DEV) == {
        ("dev", "interrupted")
    }


def test_idle_stop_of_machines_that_nothing_measures_is_refused() -> None:
    with pytest.raises(InputError, match=r"no metric shows the GPU use of a trn1\.32xlarge"):
        planned("training: {run: {instance: trn1.32xlarge, idle_stop: {below: 5%, after: 30m}}}\n")


def test_idle_stop_looks_back_a_week_at_most() -> None:
    with pytest.raises(InputError, match="the period is longer than an alarm supports"):
        planned('training: {dev: {gpu: "L4:1", idle_stop: {below: 5%, after: 8d}}}\n')


TOPIC = "arn:aws:sns:us-east-1:123456789012:ops"
BLOCK = """training:
  dev:
    instance: p5.48xlarge
    duration: 24h
    capacity:
      - {capacity-block: {reservation: cr-0123456789abcdef0, ends: "2026-12-01T11:30Z"}}
"""


@pytest.mark.parametrize("work", [DEV, BLOCK], ids=["alarms", "capacity-block"])
def test_existing_topics_are_notified_and_no_other_is_made(work: str) -> None:
    stack, plan = planned(f"monitoring: {{notify: ['{TOPIC}', '{TOPIC}2']}}\n{work}")
    resources = stack_graph(stack, plan).resources.values()
    alarms = [each for each in resources if each.type.endswith(":MetricAlarm")]
    targets = [each for each in resources if each.type.endswith(":EventTarget")]

    assert {tuple(alarm.inputs["alarmActions"]) for alarm in alarms} == {(TOPIC, f"{TOPIC}2")}
    assert [each.inputs["arn"] for each in targets] == ([TOPIC, f"{TOPIC}2"] * (work == BLOCK))
    assert not [each for each in resources if each.type.startswith(("aws:sns", "aws:kms"))]


def test_an_address_beside_a_topic_gets_mails() -> None:
    stack, plan = planned(f"monitoring: {{notify: ['{TOPIC}', jane@example.com]}}\n{DEV}")
    graph = stack_graph(stack, plan).resources
    (mail,) = [each for each in graph.values() if each.type.endswith(":TopicSubscription")]
    idle = graph["stack/us-east-1.dev_idle"].inputs["alarmActions"]

    assert mail.inputs["endpoint"] == "jane@example.com"
    assert idle == [graph["stack/us-east-1.notices"]["arn"], TOPIC]


def test_a_topic_is_in_the_region_of_the_machines() -> None:
    where = "where: {cloud: aws, regions: [us-west-2]}"
    text = f"training: {{dev: {{gpu: 'L4:1', {where}}}}}"
    other = TOPIC.replace("us-east-1", "us-west-2")

    with pytest.raises(InputError, match=r"topics of their own region, .* in us-west-2") as caught:
        planned(f"monitoring: {{notify: ['{TOPIC}']}}\n{text}")
    stack, plan = planned(f"monitoring: {{notify: ['{TOPIC}', '{other}']}}\n{text}")
    idle = stack_graph(stack, plan).resources["stack/us-west-2.dev_idle"]

    assert caught.value.problems[0].path == ("monitoring", "notify")
    assert idle.inputs["alarmActions"] == [other]


def test_a_failed_stop_notifies_the_topics() -> None:
    timed = DEV.replace('1"', '1", time_to_live: 8h')
    text = f"monitoring: {{notify: ['{TOPIC}']}}\n{timed}"
    graph = stack_graph(*planned(text)).resources

    assert graph["stack/us-east-1.stop_unable"].inputs["alarmActions"] == [TOPIC]


def test_the_daily_report_goes_to_addresses() -> None:
    with pytest.raises(InputError, match="the daily report has no recipient"):
        planned(f"monitoring: {{report: true, notify: ['{TOPIC}']}}\n{DEV}")


def test_thresholds_are_in_percent() -> None:
    stack, plan = planned('training: {dev: {gpu: "L4:1", idle_stop: {below: 2.5%, after: 30m}}}\n')

    (alarm,) = guards_of(stack_spec(stack, "us-east-1"), stack, plan.groups).alarms

    assert alarm.threshold == Decimal("2.5")
    assert alarm.message == "GPU use was below 2.5% for 30 minutes"


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
