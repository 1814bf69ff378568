"""A function of the room: its code, its role with no right more, its log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws import functions
from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.statements import Statement, allow, text, trust
from gpuinfra.clouds.building.children import Kinds

RUNTIME: Final = "python3.13"
"""https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html"""

TIMEOUT: Final = 300
MEMORY: Final = 256
KEEP_LOGS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A function as it is asked for: the name of its module, and its settings.

    `rights` are statements beside those for its log; `failed` is the queue that keeps the events
    that it could not do.
    """

    name: str
    says: str
    variables: Mapping[str, pulumi.Input[str]]
    rights: pulumi.Input[Sequence[Statement]]
    failed: aws.sqs.Queue | None = None


def kinds(name: str) -> Kinds:
    """The children of a function."""
    return {
        f"{name}_role": aws.iam.Role,
        f"{name}_rights": aws.iam.RolePolicy,
        f"{name}_log": aws.cloudwatch.LogGroup,
        f"{name}_function": aws.lambda_.Function,
    }


def make_function(children: Children, code: Code) -> aws.lambda_.Function:
    """Register a function with its role and its log, which is kept for 30 days."""
    name = code.name
    role = children.make(aws.iam.Role, f"{name}_role", assume_role_policy=trust("lambda"))
    log = children.make(aws.cloudwatch.LogGroup, f"{name}_log", retention_in_days=KEEP_LOGS)
    rights = children.make(
        aws.iam.RolePolicy,
        f"{name}_rights",
        role=role.id,
        policy=pulumi.Output.all(code.rights, log.arn).apply(
            lambda both: text([*both[0], _logging(both[1])])
        ),
    )
    failed = {} if code.failed is None else {"dead_letter_config": {"target_arn": code.failed.arn}}
    return children.make(
        aws.lambda_.Function,
        f"{name}_function",
        opts=children.options(depends_on=[rights]),
        description=code.says,
        role=role.arn,
        runtime=RUNTIME,
        handler=f"{name}.handler",
        code=pulumi.AssetArchive({f"{name}.py": pulumi.StringAsset(functions.source(name))}),
        timeout=TIMEOUT,
        memory_size=MEMORY,
        environment={"variables": dict(code.variables)},
        logging_config={"log_format": "Text", "log_group": log.name},
        **failed,
    )


def _logging(log: str) -> dict[str, Any]:
    return allow(("logs:CreateLogStream", "logs:PutLogEvents"), f"{log}:*")
