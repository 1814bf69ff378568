"""The AWS inputs that refer to existing resources, and the check of them.

Not checked: image ids (the sandbox does not know all of AWS's images), log destinations, alarm
actions and principals, which AWS accepts unseen.
"""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from gpuinfra.sandbox.plugin.aws.reference_targets import KINDS, ReferenceTarget
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.facts import facts, names_in_table
from gpuinfra.sandbox.plugin.operation_context import OperationContext, values_at

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
    recorded = kind.made_by and not (kind.operation and context.in_moto(kind.made_by))
    makers = [token for token in (kind.made_by, kind.or_by) if token and recorded]
    if any(context.properties(token, kind.key, value) is not None for token in makers):
        return True
    if not kind.operation:
        return False
    operation = getattr(context.call.client(kind.service), kind.operation)
    try:
        answer = operation(**kind.request(value))
    except ClientError:
        return False
    return not kind.many or any(isinstance(item, list) and item for item in answer.values())
