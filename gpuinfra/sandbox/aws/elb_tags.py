"""The tags of Elastic Load Balancing resources, by ARN."""

from gpuinfra.sandbox.aws import tags
from gpuinfra.sandbox.aws.resource_handler import Properties
from gpuinfra.sandbox.plugin.contract import Call


def tag_outputs(call: Call, arn: str) -> Properties:
    """Return the resource's tags as outputs."""
    return tags.tag_outputs(call, _current_tags(call, arn))


def _current_tags(call: Call, arn: str) -> dict[str, str]:
    described = call.client("elbv2").describe_tags(ResourceArns=[arn])["TagDescriptions"]
    return tags.mapping(described[0]["Tags"] if described else [])


def retag(call: Call, arn: str) -> None:
    """Set the resource's tags to those of the inputs."""
    client, listed = call.client("elbv2"), _current_tags(call, arn)
    tags.change(call, client, listed, methods=("add_tags", "remove_tags"), ResourceArns=[arn])
