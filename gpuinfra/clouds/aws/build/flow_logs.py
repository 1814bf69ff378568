"""Builds the log of a network's connections."""

from typing import Final

import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.statements import allow, text, trust
from gpuinfra.clouds.building.children import Kinds

KINDS: Final[Kinds] = {
    "flow_log_group": aws.cloudwatch.LogGroup,
    "flow_log_role": aws.iam.Role,
    "flow_log_rights": aws.iam.RolePolicy,
    "flow_log": aws.ec2.FlowLog,
}

KEPT_DAYS: Final = 30
"""A month: long enough to look into what was noticed late, and no archive."""

WRITES: Final = (
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "logs:DescribeLogGroups",
    "logs:DescribeLogStreams",
)
"""https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html; the group is ours, so
the right to create one is left out."""


def make(children: Children, vpc: aws.ec2.Vpc) -> None:
    """Register the log, the group that it goes to, and the role that writes it."""
    group = children.make(aws.cloudwatch.LogGroup, "flow_log_group", retention_in_days=KEPT_DAYS)
    role = children.make(aws.iam.Role, "flow_log_role", assume_role_policy=trust("vpc-flow-logs"))
    rights = children.make(
        aws.iam.RolePolicy,
        "flow_log_rights",
        role=role.id,
        policy=group.arn.apply(lambda arn: text([allow(WRITES, [arn, f"{arn}:*"])])),
    )
    children.make(
        aws.ec2.FlowLog,
        "flow_log",
        opts=children.options(depends_on=[rights]),
        vpc_id=vpc.id,
        traffic_type="ALL",
        log_destination_type="cloud-watch-logs",
        log_destination=group.arn,
        iam_role_arn=role.arn,
    )
