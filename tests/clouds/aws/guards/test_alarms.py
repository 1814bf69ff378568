"""Alarms, what they cost, and the resources that notify and stop."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.guards import alarms as guards_alarms
from gpuinfra.clouds.aws.guards.alarms import DAY, HOUR, MAX_LOOKBACK, MINUTE, spans
from gpuinfra.clouds.aws.guards.request import guards_of
from gpuinfra.errors import InputError
from gpuinfra.planning import stack_graph
from gpuinfra.planning.declared_stack import stack_spec
from tests.clouds.aws.guards.stacks import DEV, planned


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
