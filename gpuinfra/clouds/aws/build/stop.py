"""The function that takes a stack's machines down, and what calls it."""

from collections.abc import Sequence
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build import guards_function
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.build.guards_function import Code, make_function
from gpuinfra.clouds.aws.build.guards_topics import KEY_USE
from gpuinfra.clouds.aws.statements import allow
from gpuinfra.clouds.building.children import Kinds

KINDS: Final[Kinds] = {
    **guards_function.kinds("stop"),
    "stop_failed": aws.sqs.Queue,
    "stop_subscription": aws.sns.TopicSubscription,
    "stop_permission": aws.lambda_.Permission,
}

KEPT: Final = 14 * 86_400
"""Seconds that an event which could not be done is kept, the most that SQS takes."""

LOOKS: Final = (
    "autoscaling:DescribeAutoScalingGroups",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeInstances",
)
"""These take no narrower resource:
https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html"""
STOPS: Final = (
    "autoscaling:UpdateAutoScalingGroup",
    "ec2:CancelCapacityReservation",
    "ec2:StopInstances",
    "ec2:TerminateInstances",
)


def make_failed(children: Children) -> aws.sqs.Queue:
    """The queue that keeps what could not be done."""
    return children.make(
        aws.sqs.Queue,
        "stop_failed",
        sqs_managed_sse_enabled=True,
        message_retention_seconds=KEPT,
    )


def make_function_of(
    children: Children,
    regions: Sequence[str],
    failed: aws.sqs.Queue,
    notices: aws.sns.Topic | None,
    key: aws.kms.Key | None,
) -> aws.lambda_.Function:
    """The function, which may take down what carries the stack's tag and nothing else."""
    told = [] if notices is None or key is None else [notices.arn, key.arn]
    stack = children.order.stack
    return make_function(
        children,
        Code(
            name="stop",
            says=f"takes the machines of the stack {stack} down",
            variables={
                "STACK": stack,
                "REGIONS": ",".join(regions),
                "NOTICES": "" if notices is None else notices.arn,
            },
            rights=pulumi.Output.all(failed.arn, *told).apply(
                lambda arns: rights(stack, arns[0], *arns[1:])
            ),
            failed=failed,
        ),
    )


def rights(stack: str, failed: str, notices: str = "", key: str = "") -> list[dict[str, Any]]:
    """The rights of the function besides those of its log."""
    tagged = {"StringEquals": {"aws:ResourceTag/gpuinfra:stack": stack}}
    return [
        allow(LOOKS, "*"),
        allow(STOPS, "*", **tagged),
        allow(["sqs:SendMessage"], failed),
        *([allow(["sns:Publish"], notices)] if notices else ()),
        *([allow(KEY_USE, key)] if key else ()),
    ]


def listen(
    children: Children,
    topic: aws.sns.Topic,
    function: aws.lambda_.Function,
    region: str,
) -> None:
    """Have a topic's messages call the function of `region`; SNS carries them between regions.

    https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
    """
    permission = children.make(
        aws.lambda_.Permission,
        "stop_permission",
        region=region,
        action="lambda:InvokeFunction",
        function=function.name,
        principal="sns.amazonaws.com",
        source_arn=topic.arn,
    )
    children.make(
        aws.sns.TopicSubscription,
        "stop_subscription",
        opts=children.options(depends_on=[permission]),
        topic=topic.arn,
        protocol="lambda",
        endpoint=function.arn,
    )
