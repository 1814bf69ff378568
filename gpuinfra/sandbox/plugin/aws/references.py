"""The AWS inputs that refer to existing resources, and the check of them.

Codes and words: the "Error codes for the Amazon EC2 API" page (docs.aws.amazon.com/AWSEC2/latest/
APIReference/errors-overview.html) and the API reference of each other service.

Not checked: image ids (the sandbox does not know all of AWS's images), log destinations, alarm
actions and principals, which AWS accepts unseen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts, names_in_table, records
from gpuinfra.sandbox.plugin.operation_context import OperationContext, values_at


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTarget:
    """A kind of reference target.

    Attributes:
        type: the Pulumi type that makes it; empty for what AWS itself has.
        other_type: another type that makes one; empty: there is none.
        key: the output that holds the reference, `id` for the resource's id.
        service, operation, parameter: the call that finds it in moto; no operation: ledger only.
        takes_list: whether the parameter takes a list.
        code, message: the refusal, with {value}.
    """

    type: str = ""
    other_type: str = ""
    key: str = "id"
    service: str = "ec2"
    operation: str = ""
    parameter: str = ""
    takes_list: bool = True
    code: str
    message: str

    def request(self, value: str) -> dict[str, Any]:
        """Return the arguments of the call that finds a target."""
        return {self.parameter: [value] if self.takes_list else value}


KINDS = records("aws", "kinds", ReferenceTarget)

# Input path -> kind of thing, per type.
REFERENCES: dict[str, dict[str, str]] = facts("aws", "references")

# Kinds that inputs may name by ARN where the API call wants the last part of it.
_TYPES_BY_ARN = names_in_table("aws", "by_arn")


def verify(context: OperationContext) -> None:
    """Raise the cloud's refusal for the first reference whose target does not exist."""
    seen: set[tuple[str, str]] = set()
    for kind_name, value in _references(context.call.token, context.call.inputs):
        if (kind_name, value) in seen:
            continue
        seen.add((kind_name, value))
        kind = KINDS[kind_name]
        if not _exists(context, kind, _short_name(kind_name, value)):
            raise CloudRefusalError(kind.code, kind.message.format(value=value))


def missing_first(context: OperationContext) -> CloudRefusalError | None:
    """Return the cloud's error as if the first reference's target were missing; or None."""
    for kind_name, value in _references(context.call.token, context.call.inputs):
        kind = KINDS[kind_name]
        return CloudRefusalError(kind.code, kind.message.format(value=value))
    return None


def _references(token: str, inputs: Any) -> Iterator[tuple[str, str]]:
    for path, kind in REFERENCES.get(token, {}).items():
        for _, value in values_at(inputs, path):
            if isinstance(value, str) and value and not value.startswith(("local", "vgw-")):
                yield kind, value


def _short_name(kind: str, value: str) -> str:
    if kind not in _TYPES_BY_ARN or not value.startswith("arn:"):
        return value
    return value.rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def _exists(context: OperationContext, kind: ReferenceTarget, value: str) -> bool:
    recorded = kind.type and not (kind.operation and context.in_moto(kind.type))
    makers = [token for token in (kind.type, kind.other_type) if token and recorded]
    if any(context.properties(token, kind.key, value) is not None for token in makers):
        return True
    if not kind.operation:
        return False
    operation = getattr(context.call.client(kind.service), kind.operation)
    try:
        answer = operation(**kind.request(value))
    except ClientError:
        return False
    return not kind.takes_list or any(isinstance(item, list) and item for item in answer.values())
