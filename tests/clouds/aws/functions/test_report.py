"""The daily report, run for real against the metrics of moto."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

from gpuinfra.clouds.aws.functions import report

REGION = "us-east-1"

make_client = cache(boto3.client)
"""Clients take longer to make than all else that these tests do."""
TODAY = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)


@pytest.fixture(autouse=True)
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "STACK": "lab",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "client", make_client)
    with mock_aws():
        yield


def group(workload: str, rate: str | None = "10", gpus: int = 1) -> dict[str, Any]:
    return {
        "workload": workload,
        "region": REGION,
        "gpus": gpus,
        "rate": rate,
        "as_of": "2026-11-01",
        "metric": {
            "namespace": "CWAgent",
            "name": "nvidia_smi_utilization_gpu",
            "interval": 60,
            "dimensions": {"Stack": "lab", "Workload": workload},
        },
    }


def send(workload: str, percent: float, minutes: int, gpus: int = 1) -> None:
    """A value for each GPU and minute of a machine, in one hour of the last day."""
    make_client("cloudwatch", region_name=REGION).put_metric_data(
        Namespace="CWAgent",
        MetricData=[
            {
                "MetricName": "nvidia_smi_utilization_gpu",
                "Dimensions": [
                    {"Name": "Stack", "Value": "lab"},
                    {"Name": "Workload", "Value": workload},
                ],
                "Timestamp": TODAY - timedelta(hours=3) + timedelta(seconds=30),
                "Values": [percent],
                "Counts": [minutes * gpus],
            }
        ],
    )


def lines(*groups: dict[str, Any]) -> list[str]:
    return list(report.report(list(groups), TODAY))


def test_hours_share_and_idle_dollars() -> None:
    """Two machine-hours of 8 GPUs at 25%: 15 of 20 dollars stood idle."""
    send("run", 25, minutes=120, gpus=8)

    text = "\n".join(lines(group("run", gpus=8)))

    assert "run: its GPUs were 25% busy over 2.0 machine-hours" in text
    assert "$15.00 of $20.00 were idle" in text
    assert "Total cost of idle GPUs: $15.00." in text


@pytest.mark.parametrize(
    ("percent", "mark"),
    [(29, "Below 30%: scale in"), (30, "Below 60%"), (59, "Below 60%"), (60, "")],
)
def test_the_marks(percent: float, mark: str) -> None:
    send("run", percent, minutes=60)

    line = lines(group("run"))[2]

    assert mark in line
    assert ("Below" in line) is bool(mark)


def test_an_unknown_rate_stays_unknown() -> None:
    send("run", 25, minutes=60)
    send("dev", 50, minutes=60)

    text = "\n".join(lines(group("run", rate=None), group("dev")))

    assert "run: its GPUs were 25% busy over 1.0 machine-hours; the cost is unknown" in text
    assert "The total cost of idle GPUs is unknown:" in text


def test_silence_is_no_zero() -> None:
    text = "\n".join(lines(group("run")))

    assert "run: no metrics: no machine ran" in text
    assert "0.00" not in text


def test_another_stacks_figures_do_not_count() -> None:
    send("run", 25, minutes=60)
    other = group("run")
    other["metric"]["dimensions"]["Stack"] = "lab-2"

    assert "no metrics: no machine ran, or the CloudWatch agent" in "\n".join(lines(other))


def test_it_is_mailed(monkeypatch: pytest.MonkeyPatch) -> None:
    sns, sqs = make_client("sns", region_name=REGION), make_client("sqs", region_name=REGION)
    topic = sns.create_topic(Name="notices")["TopicArn"]
    queue = sqs.create_queue(QueueName="inbox")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["QueueArn"])
    monkeypatch.setenv("NOTICES", topic)
    monkeypatch.setenv("GROUPS", json.dumps([group("run")]))
    send("run", 70, minutes=60)

    text = report.handler({})

    (mail,) = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert json.loads(mail["Body"])["Message"] == text
    assert "run: its GPUs were 70% busy" in text


def test_nothing_to_measure_is_no_zero() -> None:
    text = "\n".join(lines())

    assert "No workload has GPUs" in text
    assert "0.00" not in text
