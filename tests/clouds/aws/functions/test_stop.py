"""The function that takes machines down, run for real against moto."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

from gpuinfra.clouds.aws.functions import stop

REGION = "us-east-1"
ELSEWHERE = "us-west-2"
IMAGE = "ami-12c6146b"
"""One that moto has."""

make_client = cache(boto3.client)
"""Clients take longer to make than all else that these tests do."""
SPENT = """\
AWS Budget Notification November 21, 2026
AWS Account 123456789012

You requested that we alert you when the ACTUAL Cost associated with your lab-budget-0a1b2c3
budget is greater than $9000.00 for the current month.

Budget Name: lab-budget-0a1b2c3
Alert Type: ACTUAL
Alert Threshold: > $9000.00
"""


@pytest.fixture(autouse=True)
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "STACK": "lab",
        "REGIONS": f"{REGION},{ELSEWHERE}",
        "NOTICES": "",
    }.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        monkeypatch.setattr(boto3, "client", with_reservations(make_client, {}))
        yield


def with_reservations(real: Any, reservations: dict[str, dict[str, Any]]) -> Any:
    """Clients of moto, which has no capacity reservations, with these by their ids."""

    class Ec2:
        def __init__(self, client: Any) -> None:
            self._client = client

        def __getattr__(self, name: str) -> Any:
            return getattr(self._client, name)

        def get_paginator(self, name: str) -> Any:
            if name != "describe_capacity_reservations":
                return self._client.get_paginator(name)
            page = {"CapacityReservations": [*reservations.values()]}
            return type("Pages", (), {"paginate": lambda _, Filters: [page]})()  # noqa: N803

        def cancel_capacity_reservation(self, CapacityReservationId: str) -> None:  # noqa: N803
            del reservations[CapacityReservationId]

    def client(service: str, **more: Any) -> Any:
        made = real(service, **more)
        return Ec2(made) if service == "ec2" else made

    return client


def make_group(name: str, stack: str, workload: str, region: str = REGION, size: int = 2) -> None:
    ec2 = make_client("ec2", region_name=region)
    ec2.create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData={"ImageId": IMAGE, "InstanceType": "t3.micro"}
    )
    tags = {"gpuinfra:stack": stack, "gpuinfra:workload": workload}
    make_client("autoscaling", region_name=region).create_auto_scaling_group(
        AutoScalingGroupName=name,
        LaunchTemplate={"LaunchTemplateName": name, "Version": "$Latest"},
        MinSize=size,
        MaxSize=size,
        DesiredCapacity=size,
        AvailabilityZones=[f"{region}a"],
        Tags=[{"Key": k, "Value": v, "PropagateAtLaunch": True} for k, v in tags.items()],
    )


def make_machine(stack: str, workload: str, **more: Any) -> str:
    ec2 = make_client("ec2", region_name=REGION)
    tags = {"gpuinfra:stack": stack, "gpuinfra:workload": workload}
    made = ec2.run_instances(
        ImageId=IMAGE,
        InstanceType="t3.micro",
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[
            {
                "ResourceType": "instance",
                "Tags": [{"Key": k, "Value": v} for k, v in tags.items()],
            }
        ],
        **more,
    )
    name: str = made["Instances"][0]["InstanceId"]
    return name


def sizes(region: str = REGION) -> dict[str, tuple[int, int, int]]:
    groups = make_client("autoscaling", region_name=region).describe_auto_scaling_groups()
    return {
        auto_scaling_group["AutoScalingGroupName"]: (
            auto_scaling_group["MinSize"],
            auto_scaling_group["DesiredCapacity"],
            auto_scaling_group["MaxSize"],
        )
        for auto_scaling_group in groups["AutoScalingGroups"]
    }


def state(machine: str) -> str:
    answer = make_client("ec2", region_name=REGION).describe_instances(InstanceIds=[machine])
    name: str = answer["Reservations"][0]["Instances"][0]["State"]["Name"]
    return name


def notice(text: str) -> dict[str, Any]:
    return {"Records": [{"Sns": {"Message": text}}]}


def alarm(dimensions: dict[str, str], state_: str = "ALARM") -> dict[str, Any]:
    """A message of CloudWatch, whose dimensions are spelt in lower case."""
    measured = [{"name": name, "value": value} for name, value in dimensions.items()]
    body = {"AlarmName": "idle", "NewStateValue": state_, "Trigger": {"Dimensions": measured}}
    return notice(json.dumps(body))


def test_a_spent_budget_takes_this_stacks_groups_to_zero_and_no_others() -> None:
    make_group("trainer-group", "lab", "trainer")
    make_group("chat-group", "lab", "chat", ELSEWHERE)
    make_group("other-group", "lab-2", "trainer")

    stop.handler(notice(SPENT))

    assert sizes() == {"trainer-group": (0, 0, 0), "other-group": (2, 2, 2)}
    assert sizes(ELSEWHERE) == {"chat-group": (0, 0, 0)}


def test_twice_is_no_more_than_once() -> None:
    make_group("trainer-group", "lab", "trainer")

    first, second = stop.handler(notice(SPENT)), stop.handler(notice(SPENT))

    assert first == ["the scaling group trainer-group is at zero in us-east-1"]
    assert second == []


def test_what_is_only_expected_stops_nothing() -> None:
    make_group("trainer-group", "lab", "trainer")

    done = stop.handler(notice(SPENT.replace("ACTUAL", "FORECASTED")))

    assert done == []
    assert sizes() == {"trainer-group": (2, 2, 2)}


def test_machines_of_no_group_keep_their_disk_where_they_can() -> None:
    kept, other = make_machine("lab", "whole"), make_machine("lab-2", "whole")
    spot = make_machine("lab", "whole", InstanceMarketOptions={"MarketType": "spot"})

    stop.handler(notice(SPENT))

    assert (state(kept), state(spot), state(other)) == ("stopped", "terminated", "running")


def test_a_groups_own_machines_are_left_to_the_group() -> None:
    """Stopped by hand, the group would take them for ill and start others."""
    make_group("trainer-group", "lab", "trainer")

    done = list(stop.instances("lab", REGION, stop.StopRequest("why")))

    assert done == []


def test_time_that_is_over_stops_one_workload() -> None:
    make_group("trainer-group", "lab", "trainer")
    make_group("chat-group", "lab", "chat")

    stop.handler({"workload": "trainer", "cause": "its time to live is over"})

    assert sizes() == {"trainer-group": (0, 0, 0), "chat-group": (2, 2, 2)}


@pytest.mark.parametrize(
    "dimensions",
    [{"AutoScalingGroupName": "dev-group"}, {"Stack": "lab", "Workload": "dev"}],
    ids=["by its group", "Facts that resources do not show, by their"],
)
def test_an_idle_alarm_stops_its_own_workload(dimensions: dict[str, str]) -> None:
    make_group("dev-group", "lab", "dev", size=1)
    make_group("trainer-group", "lab", "trainer")

    stop.handler(alarm(dimensions))

    assert sizes() == {"dev-group": (0, 0, 0), "trainer-group": (2, 2, 2)}


@pytest.mark.parametrize(
    "dimensions",
    [{"AutoScalingGroupName": "their-group"}, {"Stack": "lab-2", "Workload": "dev"}, {}],
)
def test_an_alarm_of_another_stack_stops_nothing_and_is_kept(dimensions: dict[str, str]) -> None:
    make_group("their-group", "lab-2", "dev")

    with pytest.raises(ValueError, match="the alarm idle watches no workload of the stack lab"):
        stop.handler(alarm(dimensions))

    assert sizes() == {"their-group": (2, 2, 2)}


def test_an_alarm_that_is_over_stops_nothing() -> None:
    make_group("dev-group", "lab", "dev", size=1)

    assert stop.handler(alarm({"AutoScalingGroupName": "dev-group"}, "OK")) == []
    assert sizes() == {"dev-group": (1, 1, 1)}


def test_what_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="neither an SNS notification nor a schedule"):
        stop.handler({"detail": {}})


def test_reservations_of_this_workload_are_cancelled_and_blocks_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def made(name: str, workload: str, **more: Any) -> dict[str, Any]:
        tags = {"gpuinfra:stack": "lab", "gpuinfra:workload": workload}
        listed = [{"Key": k, "Value": v} for k, v in tags.items()]
        return {"CapacityReservationId": name, "Tags": listed, **more}

    standing = {
        "cr-1": made("cr-1", "trainer"),
        "cr-2": made("cr-2", "chat"),
        "cr-3": made("cr-3", "trainer", ReservationType="capacity-block"),
    }
    monkeypatch.setattr(boto3, "client", with_reservations(make_client, standing))

    stop.handler({"workload": "trainer"})

    assert set(standing) == {"cr-2", "cr-3"}


def test_a_part_that_fails_keeps_no_other_from_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    make_group("trainer-group", "lab", "trainer")

    def refused(*_: Any) -> Iterator[str]:
        raise PermissionError("no")
        yield ""

    monkeypatch.setattr(stop, "instances", refused)

    with pytest.raises(RuntimeError, match="refused in us-east-1: no"):
        stop.handler(notice(SPENT))

    assert sizes() == {"trainer-group": (0, 0, 0)}


def test_somebody_is_told_what_was_stopped_and_how_it_starts_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sns, sqs = make_client("sns", region_name=REGION), make_client("sqs", region_name=REGION)
    topic = sns.create_topic(Name="notices")["TopicArn"]
    queue = sqs.create_queue(QueueName="inbox")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["QueueArn"])
    monkeypatch.setenv("NOTICES", topic)
    make_group("trainer-group", "lab", "trainer")

    stop.handler(notice(SPENT))
    stop.handler(notice(SPENT))

    (mail,) = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]
    text = json.loads(mail["Body"])["Message"]
    assert "lab: the monthly budget is spent." in text
    assert "trainer-group is at zero" in text
    assert "gpuinfra up" in text
