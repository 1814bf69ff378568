"""Declares the log of a network's connections."""

from typing import Final

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.statements import allow, text, trust
from gpuinfra.graph import Options, Resource, format_values

RETENTION_DAYS: Final = 30
"""A month: long enough for late investigations."""

WRITES: Final = (
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "logs:DescribeLogGroups",
    "logs:DescribeLogStreams",
)
"""https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html; the group is ours, so
the right to create one is left out."""


def make(children: Children, vpc: Resource) -> None:
    """Declare the flow log, its log group, and the role that writes it.

    The role of a workload called NAME-flow-log has the name that this one had.
    """
    group = children.make(
        "aws:cloudwatch/logGroup:LogGroup", "flow_log_group", retentionInDays=RETENTION_DAYS
    )
    role = children.make(
        "aws:iam/role:Role",
        "role_of_flow_log",
        Options(former_names=(children.name("flow_log_role"),)),
        assumeRolePolicy=trust("vpc-flow-logs"),
    )
    rights = children.make(
        "aws:iam/rolePolicy:RolePolicy",
        "flow_log_rights",
        role=role["id"],
        policy=format_values(_rights, group["arn"]),
    )
    children.make(
        "aws:ec2/flowLog:FlowLog",
        "flow_log",
        Options(depends_on=(rights.key,)),
        vpcId=vpc["id"],
        trafficType="ALL",
        logDestinationType="cloud-watch-logs",
        logDestination=group["arn"],
        iamRoleArn=role["arn"],
    )


def _rights(group: str) -> str:
    return text([allow(WRITES, [group, f"{group}:*"])])
