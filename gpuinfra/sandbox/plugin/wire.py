"""Conversion between Pulumi's property values on the wire and plain Python values."""

from typing import Any, Final

from google.protobuf.struct_pb2 import NULL_VALUE, ListValue, Struct, Value
from pulumi.runtime.proto import provider_pb2 as proto

from gpuinfra.pulumi_special_values import OUTPUT, RESOURCE, SECRET, SIGNATURE, UNKNOWN_TEXT


class Unknown:
    """A value that the engine learns only during an update."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN: Final = Unknown()


def from_wire(message: Struct) -> dict[str, Any]:
    """Return plain values: secrets and outputs unwrapped, unknown as UNKNOWN, whole as int."""
    return {key: _plain_value(value) for key, value in message.fields.items()}


def _plain_value(value: Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return _plain_object(value.struct_value)
    if kind == "list_value":
        return [_plain_value(item) for item in value.list_value.values]
    if kind == "string_value":
        return UNKNOWN if UNKNOWN_TEXT in value.string_value else value.string_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return value.bool_value if kind == "bool_value" else None


def _plain_object(message: Struct) -> Any:
    signature = message.fields.get(SIGNATURE)
    mark = signature.string_value if signature is not None else ""
    if mark in (SECRET, OUTPUT):
        inner = message.fields.get("value")
        return UNKNOWN if inner is None else _plain_value(inner)
    if mark == RESOURCE:
        identity = message.fields.get("id") or message.fields.get("urn")
        return _plain_value(identity) if identity is not None else None
    return from_wire(message)


def to_wire(values: dict[str, Any], secret: frozenset[str] = frozenset()) -> Struct:
    """Return a Struct of the values; `secret` keys are marked secret, None is omitted."""
    message = Struct()
    for key, value in values.items():
        if value is None:
            continue
        if key in secret:
            marked = Struct()
            marked.fields[SIGNATURE].string_value = SECRET
            marked.fields["value"].CopyFrom(_wire_value(value))
            message.fields[key].struct_value.CopyFrom(marked)
        else:
            message.fields[key].CopyFrom(_wire_value(value))
    return message


def _wire_value(value: Any) -> Value:
    if isinstance(value, Unknown):
        return Value(string_value=UNKNOWN_TEXT)
    if isinstance(value, dict):
        return Value(struct_value=to_wire(value))
    if isinstance(value, list | tuple):
        return Value(list_value=ListValue(values=[_wire_value(item) for item in value]))
    return _wired_plain(value)


def _wired_plain(value: Any) -> Value:
    if isinstance(value, bool):
        return Value(bool_value=value)
    if isinstance(value, int | float):
        return Value(number_value=value)
    if isinstance(value, str):
        return Value(string_value=value)
    if value is None:
        return Value(null_value=NULL_VALUE)
    raise TypeError(f"cannot send a {type(value).__name__} to the engine")


def has_unknown(value: Any) -> bool:
    """Return whether a value contains an unknown."""
    if isinstance(value, dict):
        return any(has_unknown(item) for item in value.values())
    if isinstance(value, list):
        return any(has_unknown(item) for item in value)
    return isinstance(value, Unknown)


def unread_response(request: proto.ReadRequest) -> proto.ReadResponse:
    """Return the answer for a resource of an account that is not there: what was asked of it."""
    return proto.ReadResponse(
        id=request.id, properties=request.properties, inputs=request.properties
    )
