"""SNS topics and subscriptions, and SQS queues, which have text attributes."""

import json
from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.generated_names import physical_name
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import plain_text
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts, read_fields

# Pulumi input -> attribute, from the SNS and SQS API references.
_TOPIC = facts("aws", "attributes")["aws:sns/topic:Topic"]
_SUBSCRIPTION = facts("aws", "attributes")["aws:sns/topicSubscription:TopicSubscription"]
_QUEUE = facts("aws", "attributes")["aws:sqs/queue:Queue"]
_BOOLEANS: dict[str, Any] = {"true": True, "false": False}


class Topic(ResourceHandler):
    """``aws:sns/topic:Topic``, id the ARN."""

    def create(self, call: Call) -> str:
        response = call.client("sns").create_topic(
            Name=physical_name(call),
            Attributes=_attributes(call.inputs, _TOPIC),
            Tags=tags.pairs(tags.declared_tags(call.inputs)),
        )
        return str(response["TopicArn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("sns")
        existing = client.get_topic_attributes(TopicArn=resource_id)["Attributes"]
        return {
            **_values(existing, _TOPIC, call.inputs),
            "name": resource_id.rpartition(":")[2],
            "arn": resource_id,
            "owner": existing["Owner"],
            **tags.tag_outputs(call, tags.current_tags(client, ResourceArn=resource_id)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("sns")
        attributes = _attributes(call.inputs, _TOPIC)
        dropped = _attributes(old, _TOPIC).keys() - attributes.keys() - {"Policy"}
        for key, value in (attributes | dict.fromkeys(dropped, "")).items():
            if key != "FifoTopic":
                client.set_topic_attributes(
                    TopicArn=resource_id, AttributeName=key, AttributeValue=value
                )
        tags.change(call, client, ResourceArn=resource_id)


class TopicSubscription(ResourceHandler):
    """``aws:sns/topicSubscription:TopicSubscription``, id its ARN."""

    def create(self, call: Call) -> str:
        inputs = call.inputs
        response = call.client("sns").subscribe(
            TopicArn=inputs["topic"],
            Protocol=inputs["protocol"],
            Endpoint=inputs["endpoint"],
            Attributes=_attributes(inputs, _SUBSCRIPTION),
            ReturnSubscriptionArn=True,
        )
        return str(response["SubscriptionArn"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        answer = call.client("sns").get_subscription_attributes(SubscriptionArn=resource_id)
        existing = answer["Attributes"]
        return {
            **_values(existing, _SUBSCRIPTION, call.inputs),
            **read_fields(call.token, existing),
            "arn": resource_id,
            "pendingConfirmation": existing["PendingConfirmation"] == "true",
            "confirmationWasAuthenticated": existing["ConfirmationWasAuthenticated"] == "true",
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        for key, value in _attributes(call.inputs, _SUBSCRIPTION).items():
            call.client("sns").set_subscription_attributes(
                SubscriptionArn=resource_id, AttributeName=key, AttributeValue=value
            )


class SandboxQueue(ResourceHandler):
    """``aws:sqs/queue:Queue``, id its URL."""

    def create(self, call: Call) -> str:
        response = call.client("sqs").create_queue(
            QueueName=physical_name(call),
            Attributes=_attributes(call.inputs, _QUEUE),
            tags=tags.declared_tags(call.inputs),
        )
        return str(response["QueueUrl"])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        client = call.client("sqs")
        answer = client.get_queue_attributes(QueueUrl=resource_id, AttributeNames=["All"])
        existing = answer["Attributes"]
        listed = tags.current_tags(client, "list_queue_tags", QueueUrl=resource_id)
        return {
            **_values(existing, _QUEUE, call.inputs),
            "name": resource_id.rpartition("/")[2],
            "arn": existing["QueueArn"],
            "url": resource_id,
            **tags.tag_outputs(call, listed),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        client = call.client("sqs")
        attributes = _attributes(call.inputs, _QUEUE)
        attributes.pop("FifoQueue", None)
        client.set_queue_attributes(QueueUrl=resource_id, Attributes=attributes)
        listed = tags.current_tags(client, "list_queue_tags", QueueUrl=resource_id)
        methods = ("tag_queue", "untag_queue")
        tags.change(call, client, listed, methods=methods, form=dict, QueueUrl=resource_id)


def _attributes(inputs: Properties, names: Mapping[str, str]) -> dict[str, str]:
    return {
        attribute: _text(inputs[name])
        for name, attribute in names.items()
        if inputs.get(name) is not None
    }


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value)
    return plain_text(value)


def _values(
    existing: Mapping[str, str], names: Mapping[str, str], known: Properties
) -> Properties:
    """Return attributes as booleans and numbers; None for a known one that is missing."""
    read: Properties = {}
    for name, attribute in names.items():
        text = existing.get(attribute)
        if text:
            read[name] = _BOOLEANS.get(text, int(text) if text.isdigit() else text)
        elif known.get(name) not in (None, False):
            read[name] = None
    return read
