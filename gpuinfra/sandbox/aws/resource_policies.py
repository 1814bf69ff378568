"""The policies of topics and queues, each an attribute of one."""

from typing import Any

from gpuinfra.sandbox.aws.resource_handler import Properties, PutHandler
from gpuinfra.sandbox.aws.shapes import document
from gpuinfra.sandbox.plugin.contract import Call


class TopicPolicy(PutHandler):
    """``aws:sns/topicPolicy:TopicPolicy``, id the topic's ARN.

    Removing one puts AWS's default policy back, as the provider does: a topic has always one.
    """

    id_input = "arn"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        attributes = call.client("sns").get_topic_attributes(TopicArn=resource_id)["Attributes"]
        return {"arn": resource_id, "policy": attributes["Policy"], "owner": attributes["Owner"]}

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        self._set(call, resource_id, _default(resource_id, str(old["owner"])))

    def put(self, call: Call, resource_id: str) -> None:
        self._set(call, resource_id, call.inputs["policy"])

    def _set(self, call: Call, arn: str, policy: Any) -> None:
        call.client("sns").set_topic_attributes(
            TopicArn=arn, AttributeName="Policy", AttributeValue=document(policy)
        )


def _default(arn: str, owner: str) -> Properties:
    """Return AWS's default topic policy: terraform-provider-aws 00a35305 sns/topic_policy.go."""
    allowed = (
        "GetTopicAttributes",
        "SetTopicAttributes",
        "AddPermission",
        "RemovePermission",
        "DeleteTopic",
        "Subscribe",
        "ListSubscriptionsByTopic",
        "Publish",
        "Receive",
    )
    statement = {
        "Sid": "__default_statement_ID",
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": [f"SNS:{action}" for action in allowed],
        "Resource": arn,
        "Condition": {"StringEquals": {"AWS:SourceOwner": owner}},
    }
    return {"Version": "2008-10-17", "Id": "__default_policy_ID", "Statement": [statement]}


class QueuePolicy(PutHandler):
    """``aws:sqs/queuePolicy:QueuePolicy``, id the queue's URL."""

    id_input = "queueUrl"

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("sqs")
        answer = client.get_queue_attributes(QueueUrl=resource_id, AttributeNames=["All"])
        policy = answer["Attributes"].get("Policy")
        return {"queueUrl": resource_id, "policy": policy} if policy else None

    def delete(self, call: Call, resource_id: str, old: Properties) -> None:
        self._set(call, resource_id, "")

    def put(self, call: Call, resource_id: str) -> None:
        self._set(call, resource_id, call.inputs["policy"])

    def _set(self, call: Call, url: str, policy: Any) -> None:
        call.client("sqs").set_queue_attributes(
            QueueUrl=url, Attributes={"Policy": document(policy)}
        )
