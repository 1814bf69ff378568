"""The ids, ARNs and computed outputs of AWS resources in the ledger."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin import forms
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.facts import facts
from gpuinfra.sandbox.plugin.schema import ResourceType

ACCOUNT = "123456789012"

# Ids whose form in data/aws.json is in words.
_IDS: dict[str, str] = facts("aws", "ids")

# ARN per type; an id that is an ARN already is its own.
_ARNS: dict[str, str] = facts("aws", "arns")

# Other computed outputs that programs read.
_EXTRA_OUTPUTS: dict[str, dict[str, Any]] = facts("aws", "outputs")

# Inputs that AWS makes up when they are unset and that an id is made of.
_GENERATED_FORMS: dict[str, dict[str, str]] = facts("aws", "filled")

# Outputs that an update of other inputs changes: the note of the type in data/aws.json.
_GROWS = {"aws:ec2/launchTemplate:LaunchTemplate": "latestVersion"}


def changing(token: str) -> tuple[str, ...]:
    """Return the outputs that are unknown until an update is done."""
    return (_GROWS[token],) if token in _GROWS else ()


def create_outputs(resource_type: ResourceType, call: Call) -> tuple[str, dict[str, Any]]:
    """Return the id and the outputs of a new resource in the ledger."""
    values = _context(call) | _generated_outputs(call) | call.inputs
    resource_id = forms.fill(_IDS.get(call.token, resource_type.id_form), values)
    return resource_id, _outputs(resource_type, call, {**values, "id": resource_id})


def update_outputs(
    resource_type: ResourceType, call: Call, resource_id: str, old: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the outputs after an update: computed ones are kept, versions grow by one."""
    kept_outputs = {key: old[key] for key in resource_type.computed if key in old}
    kept_outputs |= {key: old[key] for key in resource_type.provider_fills if key in old}
    outputs = _outputs(
        resource_type, call, {**_context(call), **kept_outputs, **call.inputs, "id": resource_id}
    )
    outputs |= {
        key: value for key, value in kept_outputs.items() if key not in ("tagsAll", *call.inputs)
    }
    for key in changing(call.token):
        outputs[key] = int(old.get(key, 1)) + 1
    return outputs


def _context(call: Call) -> dict[str, Any]:
    return {"account": ACCOUNT, "accountId": ACCOUNT, "region": call.region}


def _generated_outputs(call: Call) -> dict[str, Any]:
    forms_of = _GENERATED_FORMS.get(call.token, {})
    return {key: forms.fill(form, {}) for key, form in forms_of.items()}


def _outputs(resource_type: ResourceType, call: Call, values: dict[str, Any]) -> dict[str, Any]:
    outputs = {key: values[key] for key in _GENERATED_FORMS.get(call.token, {})} | dict(
        call.inputs
    )
    known = {"ownerId": ACCOUNT, "region": call.region, "tagsAll": call.inputs.get("tags") or {}}
    outputs |= {
        key: value
        for key, value in known.items()
        if (key in resource_type.computed or key in resource_type.inputs) and key not in outputs
    }
    if "arn" in resource_type.computed:
        form = "<id>" if values["id"].startswith("arn:") else _ARNS.get(call.token)
        if form:
            outputs["arn"] = forms.fill(form, values)
    for key, form in _EXTRA_OUTPUTS.get(call.token, {}).items():
        outputs.setdefault(key, forms.fill(form, values) if isinstance(form, str) else form)
    return outputs
