"""Pools that work off a queue: their own or one that is there, and who may do what with it."""

import json

from tests.components.serving_on_aws.series import followed
from tests.components.serving_on_aws.stacks import WORK, Builds, changed, script


def test_nothing_stands_before_a_pool_that_works_off_a_queue(builds: Builds) -> None:
    seen = builds(WORK)

    assert not [resource for resource in seen.resources if resource.type.startswith("aws:lb/")]
    assert seen.of("work-group").inputs["healthCheckType"] == "EC2"
    assert "targetGroupArns" not in seen.of("work-group").inputs
    assert not [resource for resource in seen.resources if "IngressRule" in resource.type]


def test_the_workers_may_work_off_their_queue_and_nothing_else(builds: Builds) -> None:
    seen = builds(WORK)
    (statement,) = json.loads(seen.of("work-messages").inputs["policy"])["Statement"]

    assert statement["Resource"] == seen.of("work-queue").outputs["arn"]
    assert "sqs:ReceiveMessage" in statement["Action"]
    assert not {"sqs:SendMessage", "sqs:PurgeQueue", "sqs:*"} & set(statement["Action"])


def test_the_container_is_told_its_queue_and_reaches_the_role(builds: Builds) -> None:
    seen = builds(changed(WORK, ("10}", "10, name: jobs}")))
    template = seen.of("work-launch-template").inputs

    assert "QUEUE_URL=https://sqs.us-east-1.amazonaws.com/123456789012/jobs" in script(
        seen, "work"
    )
    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 2
    assert template["metadataOptions"]["httpTokens"] == "required"


def test_messages_are_encrypted_by_tls_only_and_not_lost(builds: Builds) -> None:
    seen = builds(WORK)
    queue, dead = (seen.of(f"work-{part}") for part in ("queue", "dead-letters"))
    redrive = json.loads(queue.inputs["redrivePolicy"])

    assert redrive == {"deadLetterTargetArn": dead.outputs["arn"], "maxReceiveCount": 5}
    assert dead.inputs["messageRetentionSeconds"] > queue.inputs["messageRetentionSeconds"]
    for sqs_queue in (queue, dead):
        assert sqs_queue.inputs["sqsManagedSseEnabled"] is True
        (deny,) = json.loads(seen.of(f"{sqs_queue.name}-policy").inputs["policy"])["Statement"]
        assert (deny["Effect"], deny["Resource"]) == ("Deny", sqs_queue.outputs["arn"])
        assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_a_queue_that_is_there_is_looked_up_and_left_alone(builds: Builds) -> None:
    seen = builds(changed(WORK, ("10}", "10, name: jobs}")))
    (lookup,) = [args for token, args in seen.calls if token == "aws:sqs/getQueue:getQueue"]
    (statement,) = json.loads(seen.of("work-messages").inputs["policy"])["Statement"]

    assert (lookup["name"], lookup["region"]) == ("jobs", "us-east-1")
    assert not [resource for resource in seen.resources if resource.type.startswith("aws:sqs/")]
    assert statement["Resource"] == "arn:aws:sqs:us-east-1:123456789012:jobs"
    assert {series[2] for series in followed(seen.of("work-tracking").inputs)} == {
        (("QueueName", "jobs"),),
        (("AutoScalingGroupName", "work-group-0a1b2c3"),),
    }
