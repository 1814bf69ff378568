"""A Lambda function: its code, its least-privilege role, and its log group."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws import functions
from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.statements import Statement, allow, document, trust
from gpuinfra.graph import Archive, Options, Resource, concat, json_text
from gpuinfra.records import record

RUNTIME: Final = "python3.13"
"""https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html"""

TIMEOUT: Final = 300
MEMORY: Final = 256
KEEP_LOGS: Final = 30


@record
class LambdaSpec:
    """The specification of a Lambda function: its module, variables and permissions.

    `rights` are its statements besides those for its log; `failed_events_queue` is the queue for
    events that it failed to handle.
    """

    name: str
    description: str
    variables: Mapping[str, Any]
    rights: Sequence[Statement]
    failed_events_queue: Resource | None = None


def make_function(children: Children, code: LambdaSpec) -> Resource:
    """Declare a function with its role and its log, which is kept for 30 days."""
    name, failed = code.name, code.failed_events_queue
    role = children.make("aws:iam/role:Role", f"{name}_role", assumeRolePolicy=trust("lambda"))
    log = children.make(
        "aws:cloudwatch/logGroup:LogGroup", f"{name}_log", retentionInDays=KEEP_LOGS
    )
    log_statement = allow(("logs:CreateLogStream", "logs:PutLogEvents"), concat(log["arn"], ":*"))
    rights = children.make(
        "aws:iam/rolePolicy:RolePolicy",
        f"{name}_rights",
        role=role["id"],
        policy=json_text(document([*code.rights, log_statement])),
    )
    return children.make(
        "aws:lambda/function:Function",
        f"{name}_function",
        Options(depends_on=(rights.key,)),
        description=code.description,
        role=role["arn"],
        runtime=RUNTIME,
        handler=f"{name}.handler",
        code=Archive({f"{name}.py": functions.source(name)}),
        timeout=TIMEOUT,
        memorySize=MEMORY,
        environment={"variables": dict(code.variables)},
        loggingConfig={"logFormat": "Text", "logGroup": log["name"]},
        deadLetterConfig=None if failed is None else {"targetArn": failed["arn"]},
    )
