"""The checks of AWS's other services against existing resources, which moto lacks."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.operation_context import OperationContext
from gpuinfra.sandbox.plugin.refusing import RefusalRule, Refusals

_LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
_REPLICATION = "aws:s3/bucketReplicationConfig:BucketReplicationConfig"
_SCHEDULE = "aws:scheduler/schedule:Schedule"
_ONCE = re.compile(r"at\((.+)\)")
_LNET_PORT = 988


def _copies_need_versions(context: OperationContext) -> Refusals:
    """Yield an error if an end of a replication is not versioned."""
    ends = [("Versioning must be 'Enabled' on the bucket", context.call.inputs["bucket"])]
    for rule in context.call.inputs["rules"]:
        target = str(rule["destination"]["bucket"]).rpartition(":")[2]
        ends.append(("Destination bucket must have versioning enabled", target))
    for end_name, bucket in ends:
        if not _is_versioned(context, str(bucket)):
            yield CloudRefusalError("InvalidRequest", f"{end_name}: {bucket}")


def _is_versioned(context: OperationContext, bucket: str) -> bool:
    try:
        answer = context.call.client("s3").get_bucket_versioning(Bucket=bucket)
    except ClientError:
        return False
    return bool(answer.get("Status") == "Enabled")


def _once_in_the_past(context: OperationContext) -> Refusals:
    """Yield an error for a one-time schedule in the past."""
    inputs = context.call.inputs
    expression = str(inputs.get("scheduleExpression") or "")
    once = _ONCE.fullmatch(expression)
    if once is None:
        return
    try:
        zone = ZoneInfo(str(inputs.get("scheduleExpressionTimezone") or "UTC"))
        moment = datetime.fromisoformat(once.group(1)).replace(tzinfo=zone)
    except (ValueError, ZoneInfoNotFoundError):
        yield CloudRefusalError("ValidationException", f"Invalid Schedule Expression {expression}")
        return
    if moment < datetime.now(UTC):
        yield CloudRefusalError(
            "ValidationException",
            f"Invalid Schedule Expression {expression}: the time is in the past",
        )


def _file_system_ports(context: OperationContext) -> Refusals:
    """Yield errors if Lustre's port is not open between the file system and its clients."""
    groups = context.call.inputs.get("securityGroupIds") or []
    if not groups or not context.in_moto("aws:ec2/securityGroup:SecurityGroup"):
        return
    rules = list(_rules(context, groups))
    if not any(_allows_port(rule, _LNET_PORT) for rule in rules if not rule["IsEgress"]):
        yield CloudRefusalError(
            "InvalidNetworkSettings",
            "The security groups that are associated with the file system do not permit Lustre "
            f"LNET network traffic on port {_LNET_PORT}",
        )
    if context.call.inputs.get("efaEnabled") and not all(
        any(_lets_all(rule, groups) for rule in rules if rule["IsEgress"] == egress)
        for egress in (True, False)
    ):
        yield CloudRefusalError(
            "InvalidNetworkSettings",
            "Insufficient security group permissions to create an EFA-enabled file system. Update "
            "security group to allow all internal inbound and outbound traffic.",
        )


def _rules(context: OperationContext, groups: list[str]) -> Iterator[Mapping[str, Any]]:
    client = context.call.client("ec2")
    filters = [{"Name": "group-id", "Values": list(groups)}]
    yield from client.describe_security_group_rules(Filters=filters)["SecurityGroupRules"]


def _allows_port(rule: Mapping[str, Any], port: int) -> bool:
    if rule["IpProtocol"] == "-1":
        return True
    first, last = rule.get("FromPort", -1), rule.get("ToPort", -1)
    return bool(rule["IpProtocol"] in ("tcp", "6") and first <= port <= last)


def _lets_all(rule: Mapping[str, Any], groups: list[str]) -> bool:
    peer = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
    return bool(rule["IpProtocol"] == "-1" and peer in groups)


RULES: tuple[RefusalRule, ...] = (
    RefusalRule(
        (_REPLICATION,),
        _copies_need_versions,
        "https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html",
    ),
    RefusalRule(
        (_SCHEDULE,),
        _once_in_the_past,
        "https://github.com/DefangLabs/pulumi-defang/pull/425",
    ),
    RefusalRule(
        (_LUSTRE,),
        _file_system_ports,
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html",
    ),
)
