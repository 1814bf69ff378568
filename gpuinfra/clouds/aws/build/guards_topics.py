"""Where notices go: an encrypted topic that mails, and one that asks for machines to go down."""

import json
from collections.abc import Sequence
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.partitions import partition_of
from gpuinfra.clouds.aws.statements import document
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.declaring import names

KINDS: Final[Kinds] = {
    "guard_key": aws.kms.Key,
    "notices": aws.sns.Topic,
    "notices_policy": aws.sns.TopicPolicy,
    "stop": aws.sns.Topic,
    "stop_policy": aws.sns.TopicPolicy,
}

WINDOW: Final = 7
"""Days until a deleted key is gone, the fewest that KMS takes."""

ALARMS: Final = "cloudwatch.amazonaws.com"
BUDGETS: Final = "budgets.amazonaws.com"
EVENTS: Final = "events.amazonaws.com"

KEY_USE: Final = ("kms:Decrypt", "kms:GenerateDataKey*")
"""What publishing to an encrypted topic takes:
https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services"""


def kinds(mails: Sequence[str]) -> Kinds:
    """The children that may be made: each mail has a subscription."""
    return {**KINDS, **{subscription(mail): aws.sns.TopicSubscription for mail in mails}}


def subscription(mail: str) -> str:
    """The child that mails somebody, who stays the same when others come and go."""
    return f"mail_{names.digest([mail])}"


def make_key(children: Children, account: pulumi.Input[str]) -> aws.kms.Key:
    """The key of both topics.

    It is the stack's own: AWS's own key for SNS lets no other service publish, and its policy
    can't be changed.
    """
    partition = partition_of(children.order.region)
    return children.make(
        aws.kms.Key,
        "guard_key",
        description=f"notices of the gpuinfra stack {children.order.stack}",
        deletion_window_in_days=WINDOW,
        enable_key_rotation=True,
        policy=pulumi.Output.from_input(account).apply(
            lambda one: json.dumps(key_policy(partition, one))
        ),
    )


def make_notices(
    children: Children, key: aws.kms.Key, account: pulumi.Input[str], mails: Sequence[str]
) -> tuple[aws.sns.Topic, aws.sns.TopicPolicy]:
    """The topic that mails, to each address once its owner has confirmed AWS's first mail."""
    topic, policy = _topic(children, "notices", key, account, (ALARMS, EVENTS))
    for mail in mails:
        children.make(
            aws.sns.TopicSubscription,
            subscription(mail),
            topic=topic.arn,
            protocol="email",
            endpoint=mail,
        )
    return topic, policy


def make_stop(
    children: Children, key: aws.kms.Key, account: pulumi.Input[str]
) -> tuple[aws.sns.Topic, aws.sns.TopicPolicy]:
    """The topic whose messages take machines down: of AWS Budgets, and of idle alarms."""
    return _topic(children, "stop", key, account, (ALARMS, BUDGETS))


def key_policy(partition: str, account: str) -> dict[str, Any]:
    """Who may use the key: the account by its own policies, and the services that publish.

    EventBridge sends no source account along to KMS; the topic's policy asks it for one.
    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html
    """
    root = f"arn:{partition}:iam::{account}:root"
    services = [
        {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": list(KEY_USE),
            "Resource": "*",
            **({} if service == EVENTS else _from(account)),
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


def topic_policy(topic: str, account: str, services: Sequence[str]) -> dict[str, Any]:
    """Who may publish besides the account's own roles: services, on the account's behalf.

    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
    """
    return document(
        {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": "sns:Publish",
            "Resource": topic,
            **_from(account),
        }
        for service in services
    )


def _from(account: str) -> dict[str, Any]:
    return {"Condition": {"StringEquals": {"aws:SourceAccount": account}}}


def _topic(
    children: Children,
    child: str,
    key: aws.kms.Key,
    account: pulumi.Input[str],
    services: Sequence[str],
) -> tuple[aws.sns.Topic, aws.sns.TopicPolicy]:
    topic = children.make(aws.sns.Topic, child, kms_master_key_id=key.arn)
    policy = children.make(
        aws.sns.TopicPolicy,
        f"{child}_policy",
        arn=topic.arn,
        policy=pulumi.Output.all(topic.arn, account).apply(
            lambda both: json.dumps(topic_policy(both[0], both[1], services))
        ),
    )
    return topic, policy
