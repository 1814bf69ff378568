"""Conversion between Pulumi's camelCase values and botocore's service models."""

import json
import re
from collections.abc import Callable, Container, Mapping
from datetime import UTC, datetime
from typing import Any

from gpuinfra.sandbox.plugin.contract import CloudRefusalError

Names = Mapping[str, str]  # Pulumi name -> AWS name, where the letters differ

_LEADING = re.compile(r"^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+$|^[A-Z]")
_TAG = {"Key", "Value"}
# Texts in Pulumi's lists that AWS wraps in a structure each.
_WRAPPED_MEMBERS = frozenset({"Ipv4Prefix", "Ipv6Address", "Ipv6Prefix", "PrivateIpAddress"})


def arguments(
    client: Any, operation: str, inputs: Mapping[str, Any], names: Names | None = None
) -> dict[str, Any]:
    """Return the keyword arguments of `operation` (``CreateVpc``) that `inputs` has."""
    shape = client.meta.service_model.operation_model(operation).input_shape
    members = _members_by_lower_name(shape)
    keywords = {}
    for key, value in inputs.items():
        member = members.get((names or {}).get(key, key).lower())
        if member is not None and value is not None:
            keywords[member] = _to_aws(shape.members[member], value, names or {}, key)
    return keywords


def without(values: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """Return values by name, without those of some names."""
    return {name: value for name, value in values.items() if name not in names}


def to_aws(client: Any, shape: str, value: Any, names: Names | None = None) -> Any:
    """Return `value` in the form of the named shape (``RequestLaunchTemplateData``).

    Raises:
        CloudRefusalError: a nested property that the service model does not have.
    """
    return _to_aws(client.meta.service_model.shape_for(shape), value, names or {}, shape)


def from_aws(client: Any, shape: str, value: Any, names: Names | None = None) -> Any:
    """Return an answer of that shape in Pulumi's names; times become ISO text."""
    back = {aws_name: property_name for property_name, aws_name in (names or {}).items()}
    return _from_aws(client.meta.service_model.shape_for(shape), value, back)


def _members_by_lower_name(shape: Any) -> dict[str, str]:
    return {member.lower(): member for member in shape.members}


def _to_aws(shape: Any, value: Any, names: Names, path: str) -> Any:
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, value, names, path)
    if kind == "list":
        return _items(shape.member, value, names, path)
    if kind == "map":
        return {key: _to_aws(shape.value, item, names, path) for key, item in value.items()}
    return _SCALARS.get(kind, _identity)(value)


def plain_text(value: Any) -> str:
    """Return a value as the text that AWS uses for it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _identity(value: Any) -> Any:
    return value


_SCALARS: Mapping[str, Callable[[Any], Any]] = {
    "boolean": lambda value: plain_text(value) == "true",
    "integer": int,
    "long": int,
    "double": float,
    "float": float,
    "string": plain_text,
}


def _wrapper(shape: Any) -> str:
    """Return the member that a single text stands for, if all others are booleans."""
    text_members = [
        member
        for member, member_shape in shape.members.items()
        if member_shape.type_name != "boolean"
    ]
    return (
        text_members[0] if len(text_members) == 1 and text_members[0] in _WRAPPED_MEMBERS else ""
    )


def _structure(shape: Any, value: Any, names: Names, path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {_wrapper(shape): value}
    members = _members_by_lower_name(shape)
    built = {}
    for key, item in value.items():
        member = members.get(names.get(key, key).lower())
        if member is None:
            raise CloudRefusalError("UnknownParameter", f'unknown property "{path}.{key}"')
        if item is not None:
            built[member] = _to_aws(shape.members[member], item, names, f"{path}.{key}")
    return built


def _items(member: Any, value: Any, names: Names, path: str) -> list[Any]:
    if isinstance(value, Mapping) and member.type_name == "structure":
        if set(member.members) == _TAG:
            return [{"Key": key, "Value": str(item)} for key, item in value.items()]
        value = [value]
    return [_to_aws(member, item, names, path) for item in value]


def _from_aws(shape: Any, value: Any, back: Names) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if shape.type_name == "structure":
        return {
            back.get(key, camel(key)): _from_aws(shape.members[key], item, back)
            for key, item in value.items()
            if key in shape.members
        }
    if shape.type_name == "list":
        return _from_items(shape.member, value, back)
    return value


def _from_items(member: Any, value: list[Any], back: Names) -> Any:
    if member.type_name == "structure":
        if set(member.members) == _TAG:
            return {item["Key"]: item["Value"] for item in value}
        if wrapper := _wrapper(member):
            return [item[wrapper] for item in value]
    return [_from_aws(member, item, back) for item in value]


def camel(name: str) -> str:
    """Return a name in camel case: ``HttpTokens`` to ``httpTokens``, ``VPCId`` to ``vpcId``."""
    return _LEADING.sub(lambda match: match.group().lower(), name, count=1)


def moment(value: datetime | None) -> str | None:
    """Return a time of AWS in the provider's format, to the second; None for None."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if value else None


def document(value: Any) -> str:
    """Return a policy document as JSON text; programs may give a structure."""
    return value if isinstance(value, str) else json.dumps(value)
