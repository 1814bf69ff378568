"""Policies that stand beside a topic or a queue: one attribute of it each."""

from gpuinfra.sandbox.aws.kind import Kind, Properties
from gpuinfra.sandbox.aws.shapes import document
from gpuinfra.sandbox.plugin.contract import Call


class TopicPolicy(Kind):
    """``aws:sns/topicPolicy:TopicPolicy``, id the topic's ARN.

    Removing one puts AWS's default policy back, as the provider does: a topic has always one.
    """

    def make(self, call: Call) -> str:
        arn = str(call.inputs["arn"])
        self._put(call, arn, document(call.inputs["policy"]))
        return arn

    def look(self, call: Call, resource_id: str) -> Properties | None:
        attributes = call.client("sns").get_topic_attributes(TopicArn=resource_id)["Attributes"]
        return {"arn": resource_id, "policy": attributes["Policy"], "owner": attributes["Owner"]}

    def change(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id, document(call.inputs["policy"]))

    def remove(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id, document(_default(resource_id, str(old["owner"]))))

    def _put(self, call: Call, arn: str, policy: str) -> None:
        call.client("sns").set_topic_attributes(
            TopicArn=arn, AttributeName="Policy", AttributeValue=policy
        )


def _default(arn: str, owner: str) -> Properties:
    """AWS's own: `defaultTopicPolicy` of terraform-provider-aws 00a35305 sns/topic_policy.go."""
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


class QueuePolicy(Kind):
    """``aws:sqs/queuePolicy:QueuePolicy``, id the queue's URL."""

    def make(self, call: Call) -> str:
        url = str(call.inputs["queueUrl"])
        self._put(call, url, document(call.inputs["policy"]))
        return url

    def look(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("sqs")
        answer = client.get_queue_attributes(QueueUrl=resource_id, AttributeNames=["All"])
        policy = answer["Attributes"].get("Policy")
        return {"queueUrl": resource_id, "policy": policy} if policy else None

    def change(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id, document(call.inputs["policy"]))

    def remove(self, call: Call, resource_id: str, old: Properties) -> None:
        self._put(call, resource_id, "")

    def _put(self, call: Call, url: str, policy: str) -> None:
        call.client("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
