"""Declares the queue that a pool consumes, or finds the existing one that is named."""

from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.statements import Statement, allow, text
from gpuinfra.graph import Lookup, format_values, json_text
from gpuinfra.records import record
from gpuinfra.specs.schema import Queue

VISIBILITY_TIMEOUT_SECONDS: Final = 900
"""The visibility timeout of a received message; a worker that takes longer
asks for more (ChangeMessageVisibility). A machine that is taken down in the middle loses nothing:
the message comes back after this time."""

MAX_RECEIVES: Final = 5
"""The number of receives after which a message moves to the dead-letter queue."""

RETENTION_SECONDS: Final = 10 * 86_400
DEAD_LETTER_RETENTION_SECONDS: Final = 14 * 86_400
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
"""The actions that a consumer needs; the machines may not send messages:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html"""


@record
class DeclaredQueue:
    """A queue, as values of the graph."""

    name: Any
    arn: Any
    url: Any


def make_queue(children: Children, spec: Queue) -> DeclaredQueue:
    """Declare the queue: encrypted, TLS only, with a dead-letter queue for failed messages.

    One that is there is looked up, so that a wrong name is refused before anything changes. Its
    settings stay as they are; where a key of the customer's encrypts it, the role needs that too.
    """
    if spec.name is not None:
        arguments = {"name": spec.name, "region": children.spec.region}
        arn, url = (
            Lookup("aws:sqs/getQueue:getQueue", arguments, output) for output in ("arn", "url")
        )
        return DeclaredQueue(name=spec.name, arn=arn, url=url)
    dead = children.make(
        "aws:sqs/queue:Queue",
        "dead_letters",
        sqsManagedSseEnabled=True,
        messageRetentionSeconds=DEAD_LETTER_RETENTION_SECONDS,
    )
    main_queue = children.make(
        "aws:sqs/queue:Queue",
        "queue",
        sqsManagedSseEnabled=True,
        visibilityTimeoutSeconds=VISIBILITY_TIMEOUT_SECONDS,
        messageRetentionSeconds=RETENTION_SECONDS,
        redrivePolicy=json_text(
            {"deadLetterTargetArn": dead["arn"], "maxReceiveCount": MAX_RECEIVES}
        ),
    )
    for child, queue in (("queue_policy", main_queue), ("dead_letters_policy", dead)):
        children.make(
            "aws:sqs/queuePolicy:QueuePolicy",
            child,
            queueUrl=queue["url"],
            policy=format_values(_tls_only, queue["arn"]),
        )
    return DeclaredQueue(name=main_queue["name"], arn=main_queue["arn"], url=main_queue["url"])


def rights(queue: DeclaredQueue) -> list[Statement]:
    """Return the machines' permissions on the queue, as statements."""
    return [allow(WORK, queue.arn)]


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
