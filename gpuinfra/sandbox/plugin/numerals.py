"""The conversion of scalars to the expected type, as bridged providers do: `ports: [80]`.

The bridge converts numbers and booleans to strings, and a string to a whole number:
https://github.com/pulumi/pulumi-terraform-bridge/blob/master/pkg/tfbridge/schema.go
(makeTerraformInput). Terraform converts other strings to numbers, and the four below to booleans:
https://github.com/zclconf/go-cty/blob/main/cty/convert/conversion_primitive.go.
azure-native refuses it, "should be of type 'string' but got a number":
https://github.com/pulumi/pulumi-azure-native/blob/master/provider/pkg/provider/provider.go
(validateProperty). Pulumi's own templates rely on it:
https://github.com/pulumi/templates/blob/master/vm-gcp-yaml/Pulumi.yaml (a port),
https://github.com/pulumi/templates/blob/master/vm-aws-yaml/Pulumi.yaml (protocol: -1).
"""

import re
from typing import Any

from gpuinfra.sandbox.plugin.schema import Property, ResourceType, Schema

_TAKES_NUMBERS = {"any", "integer", "number"}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def convert_scalars(
    schema: Schema, resource_type: ResourceType, inputs: dict[str, Any]
) -> dict[str, Any]:
    """Return the inputs with each scalar in the type that the tables expect, where it converts."""
    return _object(schema, resource_type.inputs, inputs)


def _object(
    schema: Schema, properties: dict[str, Property], values: dict[str, Any]
) -> dict[str, Any]:
    return {
        key: _value(schema, properties[key].type, value) if key in properties else value
        for key, value in values.items()
    }


def _value(schema: Schema, form: str, value: Any) -> Any:
    forms = form.split("|")
    if isinstance(value, list):
        inner = _item_type("array<", forms)
        return [_value(schema, inner, item) for item in value] if inner else value
    if isinstance(value, dict):
        return _mapping(schema, forms, value)
    if isinstance(value, str):
        return _parse_scalar(forms, value)
    if isinstance(value, bool):
        return str(value).lower() if forms == ["string"] else value
    if not isinstance(value, (int, float)):
        return value
    return str(value) if "string" in forms and not _TAKES_NUMBERS & {*forms} else value


def _parse_scalar(forms: list[str], value: str) -> Any:
    """Return the number or boolean that a text stands for, where only such a value fits."""
    if forms == ["integer"] and _WHOLE_NUMBER.fullmatch(value):
        return int(value)
    if forms == ["number"] and _NUMBER.fullmatch(value):
        return float(value)
    return _BOOLEANS.get(value, value) if forms == ["boolean"] else value


def _mapping(schema: Schema, forms: list[str], value: dict[str, Any]) -> dict[str, Any]:
    inner = _item_type("map<", forms)
    if inner:
        return {key: _value(schema, inner, item) for key, item in value.items()}
    shape = next(
        (form.removeprefix("object:") for form in forms if form.startswith("object:")), ""
    )
    return _object(schema, schema.shape(shape).properties, value) if shape else value


def _item_type(start: str, forms: list[str]) -> str:
    """Return the item type of the list or map among the forms; empty if there is none."""
    return next((form[len(start) : -1] for form in forms if form.startswith(start)), "")
