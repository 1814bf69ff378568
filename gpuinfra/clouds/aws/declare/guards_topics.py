"""The encrypted topics of a region: one mails notices, the other triggers the stop function."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import document
from gpuinfra.clouds.declaring import names
from gpuinfra.graph import Resource, format_values, json_text

WINDOW: Final = 7
"""Days until a deleted key is gone, the fewest that KMS takes."""

ALARMS: Final = "cloudwatch.amazonaws.com"
BUDGETS: Final = "budgets.amazonaws.com"
EVENTS: Final = "events.amazonaws.com"

PUBLISH_KEY_ACTIONS: Final = ("kms:Decrypt", "kms:GenerateDataKey*")
"""The key actions that publishing to an encrypted topic requires:
https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services"""


def subscription(mail: str) -> str:
    """Return the name of an address's subscription, independent of the other addresses."""
    return f"mail_{names.digest([mail])}"


def make_key(children: Children) -> Resource:
    """Declare the key of both topics.

    It is the stack's own: AWS's own key for SNS lets no other service publish, and its policy
    can't be changed.
    """
    policy = partial(key_policy, partition_of(children.spec.region))
    return children.make(
        "aws:kms/key:Key",
        "guard_key",
        description=f"encrypts the notices of the gpuinfra stack {children.spec.stack}",
        deletionWindowInDays=WINDOW,
        enableKeyRotation=True,
        policy=json_text(format_values(policy, children.account)),
    )


def make_notices(children: Children, key: Resource, mails: Sequence[str]) -> Resource:
    """Declare the topic that mails each address, once its owner has confirmed AWS's first mail."""
    topic, _ = _topic(children, "notices", key, (ALARMS, EVENTS))
    for mail in mails:
        children.make(
            "aws:sns/topicSubscription:TopicSubscription",
            subscription(mail),
            topic=topic["arn"],
            protocol="email",
            endpoint=mail,
        )
    return topic


def make_stop(children: Children, key: Resource, *, limited: bool) -> tuple[Resource, Resource]:
    """Declare the topic whose messages stop machines; return it with its policy.

    The messages are those of idle alarms, and where it is `limited` of AWS Budgets.
    """
    return _topic(children, "stop", key, (ALARMS, BUDGETS) if limited else (ALARMS,))


def key_policy(partition: str, account: str) -> dict[str, Any]:
    """Return the key policy: the account by its own policies, and the services that publish.

    EventBridge sends no source account along to KMS:
    https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services
    """
    root = f"arn:{partition}:iam::{account}:root"
    services = [
        {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": list(PUBLISH_KEY_ACTIONS),
            "Resource": "*",
            **_condition(service, account),
        }
        for service in (ALARMS, BUDGETS, EVENTS)
    ]
    owner = {
        "Effect": "Allow",
        "Principal": {"AWS": root},
        "Action": "kms:*",
        "Resource": "*",
    }
    return document([owner, *services])


def topic_policy(topic: Any, account: Any, services: Sequence[str]) -> dict[str, Any]:
    """Return the topic policy that lets services publish on behalf of the account.

    EventBridge takes no condition: it would publish nothing, and say nothing of it.
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
    """
    return document(
        {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": "sns:Publish",
            "Resource": topic,
            **_condition(service, account),
        }
        for service in services
    )


def _condition(service: str, account: Any) -> dict[str, Any]:
    """Return the condition that a service acts for this account; empty if it sends none."""
    if service == EVENTS:
        return {}
    return {"Condition": {"StringEquals": {"aws:SourceAccount": account}}}


def _topic(
    children: Children, child: str, key: Resource, services: Sequence[str]
) -> tuple[Resource, Resource]:
    topic = children.make("aws:sns/topic:Topic", child, kmsMasterKeyId=key["arn"])
    policy = children.make(
        "aws:sns/topicPolicy:TopicPolicy",
        f"{child}_policy",
        arn=topic["arn"],
        policy=json_text(topic_policy(topic["arn"], children.account, services)),
    )
    return topic, policy
