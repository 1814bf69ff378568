"""Builds the queue of a pool that works off messages, or finds the one that is named."""

import json
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.statements import allow, text
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.stackfile.schema import Queue as QueueWish

RIGHTS: Final[Kinds] = {"messages": aws.iam.RolePolicy}
KINDS: Final[Kinds] = {
    "queue": aws.sqs.Queue,
    "queue_policy": aws.sqs.QueuePolicy,
    "dead_letters": aws.sqs.Queue,
    "dead_letters_policy": aws.sqs.QueuePolicy,
}

HIDDEN_SECONDS: Final = 900
"""How long a message is hidden from others once a machine has taken it; a worker that takes longer
asks for more (ChangeMessageVisibility). A machine that is taken down in the middle loses nothing:
the message comes back after this time."""

TRIES: Final = 5
"""How often a message is taken before it goes to the dead letters."""

KEPT_SECONDS: Final = 10 * 86_400
DEAD_KEPT_SECONDS: Final = 14 * 86_400
"""How long messages are kept, the dead ones for the longest that SQS takes. A dead letter's time
runs from when it was first sent, so the queue keeps less: four days at least remain to look at it.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html"""

WORK: Final = (
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibility",
    "sqs:GetQueueAttributes",
    "sqs:GetQueueUrl",
)
"""What working off takes; nobody's machines may send:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue: run-time values."""

    name: pulumi.Input[str]
    arn: pulumi.Input[str]
    url: pulumi.Input[str]


def kinds(wish: QueueWish) -> Kinds:
    """The children of a queue, of which one that is there needs only the rights."""
    return {**RIGHTS, **(KINDS if wish.name is None else {})}


def make_queue(children: Children, wish: QueueWish) -> Queue:
    """The queue: encrypted, by TLS only, with a place for messages that nobody can work off.

    One that is there is looked up, so that a wrong name is refused before anything changes. Its
    settings stay as they are; where a key of the customer's encrypts it, the role needs that too.
    """
    if wish.name is not None:
        found = aws.sqs.get_queue_output(
            name=wish.name, region=children.order.region, opts=children.invoke()
        )
        return Queue(name=wish.name, arn=found.arn, url=found.url)
    dead = children.make(
        aws.sqs.Queue,
        "dead_letters",
        sqs_managed_sse_enabled=True,
        message_retention_seconds=DEAD_KEPT_SECONDS,
    )
    made = children.make(
        aws.sqs.Queue,
        "queue",
        sqs_managed_sse_enabled=True,
        visibility_timeout_seconds=HIDDEN_SECONDS,
        message_retention_seconds=KEPT_SECONDS,
        redrive_policy=dead.arn.apply(
            lambda arn: json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": TRIES})
        ),
    )
    for child, queue in (("queue_policy", made), ("dead_letters_policy", dead)):
        children.make(
            aws.sqs.QueuePolicy,
            child,
            queue_url=queue.url,
            policy=queue.arn.apply(_tls_only),
        )
    return Queue(name=made.name, arn=made.arn, url=made.url)


def rights(queue: Queue) -> pulumi.Output[list[dict[str, Any]]]:
    """What the machines may do with it, as statements."""
    found: pulumi.Output[list[dict[str, Any]]] = pulumi.Output.from_input(queue.arn).apply(
        lambda arn: [allow(WORK, arn)]
    )
    return found


def _tls_only(arn: str) -> str:
    statement = {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sqs:*",
        "Resource": arn,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return text([statement])
