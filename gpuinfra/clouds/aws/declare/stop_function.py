"""The Lambda function that stops a stack's machines, its permissions, and its triggers."""

from collections.abc import Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.declare.guards_function import LambdaSpec, make_function
from gpuinfra.clouds.aws.declare.guards_topics import PUBLISH_KEY_ACTIONS
from gpuinfra.clouds.aws.regions import opted_in
from gpuinfra.clouds.aws.statements import allow
from gpuinfra.graph import Options, Resource

RETENTION_SECONDS: Final = 14 * 86_400
"""How long a failed event is kept, the maximum of SQS."""

READ_ACTIONS: Final = (
    "autoscaling:DescribeAutoScalingGroups",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeInstances",
)
"""These accept no resource, only *:
https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html"""
STOP_ACTIONS: Final = (
    "autoscaling:UpdateAutoScalingGroup",
    "ec2:CancelCapacityReservation",
    "ec2:StopInstances",
    "ec2:TerminateInstances",
)


def make_dead_letter_queue(children: Children) -> Resource:
    """Declare the dead-letter queue of the stop function."""
    return children.make(
        "aws:sqs/queue:Queue",
        "stop_failed",
        sqsManagedSseEnabled=True,
        messageRetentionSeconds=RETENTION_SECONDS,
    )


def make_stop_function(
    children: Children,
    regions: Sequence[str],
    failed: Resource,
    notices: Resource | None,
    key: Resource | None,
) -> Resource:
    """Declare the function; it may stop only resources with the stack's tag."""
    targets = [] if notices is None or key is None else [notices["arn"], key["arn"]]
    stack = children.spec.stack
    return make_function(
        children,
        LambdaSpec(
            name="stop",
            description=f"shuts down the machines of the stack {stack}",
            variables={
                "STACK": stack,
                "REGIONS": ",".join(regions),
                "NOTICES": "" if notices is None else notices["arn"],
            },
            rights=rights(stack, failed["arn"], *targets),
            failed_events_queue=failed,
        ),
    )


def rights(stack: str, failed: Any, notices: Any = "", key: Any = "") -> list[dict[str, Any]]:
    """Return the function's permissions other than those for its log."""
    tagged = {"StringEquals": {"aws:ResourceTag/gpuinfra:stack": stack}}
    return [
        allow(READ_ACTIONS, "*"),
        allow(STOP_ACTIONS, "*", **tagged),
        allow(["sqs:SendMessage"], failed),
        *([allow(["sns:Publish"], notices)] if notices else ()),
        *([allow(PUBLISH_KEY_ACTIONS, key)] if key else ()),
    ]


def sender(topic: str, function: str) -> str:
    """Return the principal by which SNS of a topic's region calls a function of another.

    From a region that the account opted in to, to another one, it is the region's own SNS:
    https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html
    https://docs.aws.amazon.com/sns/latest/dg/lambda-prereq.html
    """
    if topic != function and opted_in(topic):
        return f"sns.{topic}.amazonaws.com"
    return "sns.amazonaws.com"


def listen(children: Children, topic: Resource, function: Resource, region: str) -> None:
    """Subscribe the function of `region` to a topic; SNS carries messages between regions."""
    permission = children.make(
        "aws:lambda/permission:Permission",
        "stop_permission",
        region=region,
        action="lambda:InvokeFunction",
        function=function["name"],
        principal=sender(children.spec.region, region),
        sourceArn=topic["arn"],
    )
    children.make(
        "aws:sns/topicSubscription:TopicSubscription",
        "stop_subscription",
        Options(depends_on=(permission.key,)),
        topic=topic["arn"],
        protocol="lambda",
        endpoint=function["arn"],
    )
