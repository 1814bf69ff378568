"""What looks after a stack, as it reaches the engine."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pulumi
import pytest

from gpuinfra.clouds.aws import metrics
from gpuinfra.clouds.aws.agent import install
from gpuinfra.clouds.aws.declare import stop_function
from gpuinfra.clouds.declaring import deadline
from gpuinfra.components.messages import show_plain_errors
from gpuinfra.components.program import program
from gpuinfra.sandbox.plugin.input_validation import check
from gpuinfra.sandbox.plugin.schema import load
from gpuinfra.source import Source
from gpuinfra.stackfile import loads
from tests.components.conftest import NOW, Record, Registers, run
from tests.components.guard_stacks import ALIVE, DEPLOY, DEV, HEAD, IDLE, STOP, WATCH
from tests.components.mocked.aws import ACCOUNT


def guards(seen: Record) -> list[dict[str, Any]]:
    """What hangs below the stack itself, without the code of functions and the deploy rights.

    Both have tests of their own, and the rights follow every resource of the stack.
    """
    shown = []
    for row in seen.golden():
        of_stack = row["parent"] == "lab" and not row["type"].startswith("gpuinfra:")
        if of_stack and not row["name"].startswith("lab-deploy-rights"):
            inputs = dict(row["inputs"])
            if "code" in inputs:
                inputs["code"] = sorted(inputs["code"].assets)
            shown.append({**row, "inputs": inputs})
    return shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("budget-stop", STOP),
        ("time-to-live", ALIVE),
        ("idle-stop", IDLE),
        ("watch", WATCH),
        ("deploy-role", DEPLOY),
    ],
)
def test_guards_are_registered_as_frozen(
    registers: Registers, golden: Callable[..., None], name: str, text: str
) -> None:
    golden(f"guards-{name}", guards(registers(text)))


@pytest.mark.parametrize("text", [STOP, ALIVE, IDLE, WATCH, DEPLOY])
def test_the_provider_takes_what_is_registered(registers: Registers, text: str) -> None:
    schema = load("aws")
    failures = {
        f"{resource.name}.{failure.path}: {failure.reason}"
        for resource in registers(text).resources
        if resource.type.startswith("aws:")
        for failure in check(schema, schema.type(resource.type), plain(resource.inputs))
    }

    assert failures == set()


def plain(inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs without code, which crosses the wire in a form of its own."""
    return {key: value for key, value in inputs.items() if key != "code"}


def test_only_what_is_spent_calls_the_function(registers: Registers) -> None:
    seen = registers(STOP)
    topic = seen.of("lab-stop").outputs["arn"]

    told = {
        (notification["notificationType"], notification["threshold"])
        for notification in seen.of("lab-budget").inputs["notifications"]
        if topic in notification.get("subscriberSnsTopicArns", ())
    }

    assert told == {("ACTUAL", 100)}


def test_a_stop_without_mails_still_has_its_notice(registers: Registers) -> None:
    seen = registers(STOP.replace("notify: [a@example.com], ", ""))

    (notice,) = seen.of("lab-budget").inputs["notifications"]

    assert notice["subscriberSnsTopicArns"] == [seen.of("lab-stop").outputs["arn"]]


def test_the_budget_may_publish_for_this_account_alone(registers: Registers) -> None:
    seen = registers(STOP)

    statements = json.loads(seen.of("lab-stop-policy").inputs["policy"])["Statement"]

    (budget,) = [s for s in statements if s["Principal"]["Service"] == "budgets.amazonaws.com"]
    assert budget["Condition"] == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
    assert seen.of("lab-stop").inputs["kmsMasterKeyId"] == seen.of("lab-guard-key").outputs["arn"]


def test_events_are_published_without_a_condition_that_eventbridge_does_not_meet(
    registers: Registers,
) -> None:
    topic = registers(WATCH).of("lab-notices-policy").inputs

    statements = json.loads(topic["policy"])["Statement"]
    conditions = {
        statement["Principal"]["Service"]: statement.get("Condition") for statement in statements
    }
    assert conditions == {
        "cloudwatch.amazonaws.com": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
        "events.amazonaws.com": None,
    }


def test_the_budget_counts_what_is_used_before_credits_and_refunds(registers: Registers) -> None:
    counted = registers(STOP).of("lab-budget").inputs["costTypes"]

    assert counted == {"includeCredit": False, "includeRefund": False}


@pytest.mark.parametrize(
    ("topic", "function", "principal"),
    [
        ("us-east-1", "us-east-1", "sns.amazonaws.com"),
        ("us-west-2", "us-east-1", "sns.amazonaws.com"),
        ("us-east-1", "ap-east-1", "sns.amazonaws.com"),
        ("ap-east-1", "ap-east-1", "sns.amazonaws.com"),
        ("ap-east-1", "us-east-1", "sns.ap-east-1.amazonaws.com"),
        ("us-gov-west-1", "us-gov-east-1", "sns.amazonaws.com"),
    ],
)
def test_sns_of_a_region_that_is_opted_in_to_calls_by_its_own_name(
    topic: str, function: str, principal: str
) -> None:
    assert stop_function.sender(topic, function) == principal


def test_the_function_changes_nothing_without_the_stacks_tag(registers: Registers) -> None:
    rights = json.loads(registers(STOP).of("lab-stop-rights").inputs["policy"])["Statement"]

    changes = [
        right
        for right in rights
        if any(action.partition(":")[0] in {"autoscaling", "ec2"} for action in right["Action"])
        and not all(":Describe" in action for action in right["Action"])
    ]

    assert [change["Condition"] for change in changes] == [
        {"StringEquals": {"aws:ResourceTag/gpuinfra:stack": "lab"}}
    ]


def test_without_options_there_is_a_budget_that_mails_and_nothing_more(
    registers: Registers,
) -> None:
    seen = registers(f"{HEAD}budget: {{per_month: 9000, notify: [a@example.com]}}\n{DEV}")

    assert [row["name"] for row in guards(seen)] == ["lab-budget"]


def test_time_to_live_is_a_moment_in_utc(registers: Registers) -> None:
    seen = registers(ALIVE)

    end = seen.of("lab-dev-end").inputs

    assert end["scheduleExpression"] == "at(2026-11-24T12:00:00)"
    assert end["scheduleExpressionTimezone"] == "UTC"
    assert json.loads(end["target"]["input"])["workload"] == "dev"


def test_another_time_to_live_is_another_moment() -> None:
    """The time is in the pin's name, so that a new one is counted anew."""
    moments = {
        text: [
            resource.name
            for resource in _registered(ALIVE.replace("72h", text))
            if resource.type == "pulumi:index:Stash" and "dev-end" in resource.name
        ]
        for text in ("72h", "3d", "73h")
    }

    assert moments["72h"] == moments["3d"]
    assert moments["72h"] != moments["73h"]


def _registered(text: str) -> Any:
    return run(program(Source(document=loads(text)), {})).resources


def test_a_moment_that_is_over_ends_the_program_and_says_how_it_goes_on() -> None:
    now = NOW.isoformat()

    with pytest.raises(pulumi.RunError, match="set another time_to_live"), show_plain_errors():
        deadline.require_future("dev", timedelta(hours=72), "2026-11-21T12:00:00", now)

    assert deadline.require_future("dev", timedelta(hours=72), "2026-11-21T12:00:01", now)


def test_an_idle_development_box_is_stopped_by_its_own_figures(registers: Registers) -> None:
    seen = registers(IDLE)

    alarm = seen.of("lab-dev-idle").inputs

    assert alarm["alarmActions"] == [
        seen.of("lab-notices").outputs["arn"],
        seen.of("lab-stop").outputs["arn"],
    ]
    assert (alarm["period"] * alarm["evaluationPeriods"], alarm["threshold"]) == (1800, 5)
    assert alarm["treatMissingData"] == "notBreaching"
    assert (
        metrics.run_configuration("lab", "dev")["metrics"]["metrics_collected"]["nvidia_gpu"][
            "append_dimensions"
        ]
        == alarm["dimensions"]
    )


def series(seen: Record) -> dict[tuple[str, str, tuple[str, ...]], str]:
    """Every figure that an alarm or a policy looks at, with the alarm."""
    names = {}
    for resource in seen.resources:
        if resource.type != "aws:cloudwatch/metricAlarm:MetricAlarm":
            continue
        queries = [q["metric"] for q in resource.inputs.get("metricQueries", ()) if "metric" in q]
        for looked_at in queries or [resource.inputs]:
            key = (
                looked_at["namespace"],
                looked_at["metricName"],
                tuple(sorted(looked_at["dimensions"])),
            )
            names[key] = resource.name
    return names


def emitted() -> set[tuple[str, str, tuple[str, ...]]]:
    """What machines send, as the agents' configurations say, and what AWS's services send."""
    series = {(install.NAMESPACE, install.METRIC, tuple(sorted(install.DIMENSIONS)))}
    for configuration in (
        metrics.run_configuration("lab", "run"),
        metrics.pool_configuration(errors=True),
    ):
        sent = configuration["metrics"]
        (dimensions,) = sent["aggregation_dimensions"]
        names = [
            f"nvidia_smi_{measurement}"
            for measurement in sent["metrics_collected"]["nvidia_gpu"]["measurement"]
        ]
        if "statsd" in sent["metrics_collected"]:
            names += [metrics.XID_ERRORS, metrics.ECC_ERRORS]
        series |= {(sent["namespace"], name, tuple(sorted(dimensions))) for name in names}
    return series


def test_every_alarm_looks_at_a_figure_that_something_sends(registers: Registers) -> None:
    seen = registers(WATCH)
    of_services = {
        ("AWS/ApplicationELB", "UnHealthyHostCount", ("LoadBalancer", "TargetGroup")),
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible", ("QueueName",)),
    }

    looked_at = series(seen)

    assert set(looked_at) - of_services <= emitted()
    assert {name.rpartition("-")[2] for name in looked_at.values()} == {
        *("idle", "memory", "xid", "ecc", "interrupted", "unhealthy"),
    }


def test_a_capacity_block_mails_before_it_ends(registers: Registers) -> None:
    seen = registers(WATCH)

    pattern = json.loads(seen.of("lab-run-block").inputs["eventPattern"])

    assert pattern["detail"] == {"capacity-reservation-id": ["cr-0123456789abcdef0"]}
    assert {
        "Capacity Block Delivered",
        "Capacity Block Reservation Delivered",
        "Capacity Block Reservation Expiration Warning",
    } <= set(pattern["detail-type"])
    assert seen.of("lab-run-block-mail").inputs["arn"] == seen.of("lab-notices").outputs["arn"]


def test_the_dashboard_shows_what_is_sent(registers: Registers) -> None:
    body = json.loads(registers(WATCH).of("lab-dashboard").inputs["dashboardBody"])

    for widget in body["widgets"]:
        assert widget["x"] + widget["width"] <= 24
        for namespace, name, *pairs, drawn in widget["properties"]["metrics"]:
            assert set(drawn) == {"stat"}
            if namespace != "AWS/ApplicationELB":
                assert (namespace, name, tuple(sorted(pairs[::2]))) in emitted()


def test_the_report_knows_rates_and_leaves_unknown_ones_open(registers: Registers) -> None:
    settings = registers(WATCH).of("lab-report-function").inputs["environment"]["variables"]

    facts = {workload["workload"]: workload for workload in json.loads(settings["GROUPS"])}

    assert facts["run"]["gpus"] == 8
    assert facts["chat"]["rate"] is not None
    assert facts["chat"]["metric"]["dimensions"] == {"AutoScalingGroupName": "chat-group-0a1b2c3"}


def test_another_region_has_topics_of_its_own_and_one_function_stops_all(
    registers: Registers,
) -> None:
    """An alarm calls topics of its own region alone; the function reaches all of them."""
    text = IDLE.replace("training: {", "training: {run: {gpu: 'L4:1'}, ").replace(
        "idle_stop", "where: {cloud: aws, regions: [us-west-2]}, idle_stop"
    )

    seen = registers(text)

    alarm = seen.of("lab-us-west-2-dev-idle").inputs
    assert alarm["region"] == "us-west-2"
    assert alarm["alarmActions"] == [
        seen.of("lab-us-west-2-notices").outputs["arn"],
        seen.of("lab-us-west-2-stop").outputs["arn"],
    ]
    settings = seen.of("lab-stop-function").inputs["environment"]["variables"]
    assert settings["REGIONS"] == "us-east-1,us-west-2"
    permission = seen.of("lab-us-west-2-stop-permission").inputs
    assert permission["region"] == "us-east-1"
