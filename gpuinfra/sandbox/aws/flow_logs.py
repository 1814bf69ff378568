"""VPC flow logs."""

from gpuinfra.sandbox.aws import ec2, tags
from gpuinfra.sandbox.aws.resource_handler import Properties, ResourceHandler
from gpuinfra.sandbox.aws.shapes import arguments
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.facts import read_fields

_WATCHED_RESOURCES = {"vpcId": "VPC", "subnetId": "Subnet", "eniId": "NetworkInterface"}
_NAMES = {"iamRoleArn": "DeliverLogsPermissionArn"}


class FlowLog(ResourceHandler):
    """``aws:ec2/flowLog:FlowLog``; any change but of its tags replaces it.

    One that names nothing to watch is refused:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html
    """

    def create(self, call: Call) -> str:
        client, inputs = call.client("ec2"), call.inputs
        key = next((name for name in _WATCHED_RESOURCES if inputs.get(name)), None)
        if key is None:
            raise CloudRefusalError(
                "MissingParameter", "The request must contain the parameter ResourceIds"
            )
        request = arguments(client, "CreateFlowLogs", call.inputs, _NAMES)
        response = client.create_flow_logs(
            **request | {"ResourceType": _WATCHED_RESOURCES[key], "ResourceIds": [inputs[key]]},
            **ec2.tag_specifications(call, "vpc-flow-log"),
        )
        for failed in response.get("Unsuccessful") or []:
            raise CloudRefusalError(failed["Error"]["Code"], failed["Error"]["Message"])
        return str(response["FlowLogIds"][0])

    def read_properties(self, call: Call, resource_id: str) -> Properties | None:
        log = ec2.describe_one(call, "describe_flow_logs", "FlowLogs", FlowLogIds=[resource_id])
        if log is None:
            return None
        watched = next(
            (name for name, noun in _WATCHED_RESOURCES.items() if _is(log["ResourceId"], noun)),
            "vpcId",
        )
        group, inputs = log.get("LogGroupName"), call.inputs
        destination = log.get("LogDestination") or inputs.get("logDestination")
        return {
            **read_fields(call.token, log),
            watched: log["ResourceId"],
            "logDestination": destination,
            **({"logGroupName": group} if group and "logDestination" not in inputs else {}),
            "arn": ec2.arn(call, ec2.account(call), "vpc-flow-log", resource_id),
            **tags.tag_outputs(call, ec2.current_tags(call, resource_id)),
        }

    def update(self, call: Call, resource_id: str, old: Properties) -> None:
        ec2.retag(call, resource_id)


def _is(resource_id: str, noun: str) -> bool:
    prefixes = {"VPC": "vpc-", "Subnet": "subnet-", "NetworkInterface": "eni-"}
    return resource_id.startswith(prefixes[noun])
