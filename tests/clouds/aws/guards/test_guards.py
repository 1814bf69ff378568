"""What looks after a stack, as facts: alarms, what they cost, and what no alarm can tell."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.guards import alarms as guards_alarms
from gpuinfra.clouds.aws.guards.alarms import DAY, HOUR, LONGEST, MINUTE, spans
from gpuinfra.clouds.aws.guards.request import guards_of
from gpuinfra.clouds.aws.guards.words import guard_notes
from gpuinfra.errors import InputError
from gpuinfra.model import Plan
from gpuinfra.planning import from_stack
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
    return {(one.workload, one.kind) for one in guards_of(stack, plan.groups).alarms}


def paid(text: str) -> list[str]:
    """What is paid of the stack itself, beside its workloads."""
    _, plan = planned(text)
    return sorted(item.item for item in plan.items if item.name == plan.name)


@given(st.timedeltas(min_value=timedelta(seconds=1), max_value=LONGEST))
def test_an_alarm_looks_back_at_least_the_time_and_no_further_than_it_can(
    after: timedelta,
) -> None:
    period, count = spans(after)

    assert period in {MINUTE, guards_alarms.PERIOD, HOUR}
    assert after.total_seconds() - 1 < period * count < after.total_seconds() + 3600
    assert period * count <= (7 * DAY if period == HOUR else DAY)


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (timedelta(minutes=30), (300, 6)),
        (timedelta(minutes=7), (60, 7)),
        (timedelta(hours=36), (3600, 36)),
        (timedelta(seconds=30), (60, 1)),
    ],
)
def test_figures_of_five_minutes_where_they_come_out_even(
    after: timedelta, found: tuple[int, int]
) -> None:
    assert spans(after) == found


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
    with pytest.raises(InputError, match=r"nothing tells how busy a trn1\.32xlarge is"):
        planned("training: {run: {instance: trn1.32xlarge, idle_stop: {below: 5%, after: 30m}}}\n")


def test_idle_stop_looks_back_a_week_at_most() -> None:
    with pytest.raises(InputError, match="the period is longer than an alarm supports"):
        planned('training: {dev: {gpu: "L4:1", idle_stop: {below: 5%, after: 8d}}}\n')


def test_thresholds_are_in_percent() -> None:
    stack, plan = planned('training: {dev: {gpu: "L4:1", idle_stop: {below: 2.5%, after: 30m}}}\n')

    (alarm,) = guards_of(stack, plan.groups).alarms

    assert alarm.threshold == Decimal("2.5")
    assert alarm.says == "GPU use was below 2.5 % for 30 minutes"


def test_notes_say_the_delay_the_ends_and_what_a_person_has_to_do() -> None:
    stack, plan = planned(
        "budget: {per_month: 9000, notify: [a@example.com], on_breach: stop}\n"
        'training: {dev: {gpu: "L4:1", time_to_live: 3d, idle_stop: {below: 5%, after: 30m}}}\n'
    )

    said = "\n".join(guard_notes(stack, plan.groups))

    assert "its alerts arrive hours late" in said
    assert "8 to 12 hours" in said
    assert "the AWS Budget stays at $0 until the" in said
    assert "dev is taken down 3d after its first up" in said
    assert "GPU use was below 5 % for 30 minutes" in said
    assert "a@example.com to confirm" in said


def test_a_stack_without_guards_has_nothing_to_say() -> None:
    stack, plan = planned(DEV)

    assert guard_notes(stack, plan.groups) == ()
