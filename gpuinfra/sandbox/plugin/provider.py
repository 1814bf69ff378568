"""The plugin's answers to the engine in plain values: check, diff, preview, read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin import diff, input_validation, naming, numerals
from gpuinfra.sandbox.plugin.contract import OperationTarget
from gpuinfra.sandbox.plugin.diff import InputChange
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.naming import DEFAULTS_KEY, Autonaming
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.wire import UNKNOWN

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """The changes, and whether a replacement must delete first."""

    changes: list[InputChange]
    delete_first: bool


def check_inputs(
    resources: Resources,
    target: OperationTarget,
    inputs: Inputs,
    old: Inputs,
    seed: bytes,
    proposal: Autonaming | None,
) -> tuple[Inputs, list[Failure]]:
    """Return the inputs, with a generated name if needed, and their problems."""
    cloud = resources.cloud
    kind = cloud.schema.type(target.token)
    if kind is None:
        return inputs, []
    inputs = {key: value for key, value in inputs.items() if key != DEFAULTS_KEY}
    if cloud.takes_numbers_for_text:
        inputs = numerals.convert_scalars(cloud.schema, kind, inputs)
    inputs = cloud.fill_defaults(
        kind, resources.settings, resources.ledger.records_of_type, inputs, old
    )
    rule = cloud.naming(target.token)
    failures = naming.fill(rule, inputs, old, target.name, seed, proposal)
    failures += input_validation.check(cloud.schema, kind, inputs)
    if not failures:
        all_inputs = resources.with_provider_settings(target.token, inputs)
        failures = [
            *cloud.input_failures(target.token, all_inputs),
            *naming.problems(rule, inputs),
        ]
    return inputs, failures


def difference(
    resources: Resources,
    target: OperationTarget,
    old: Inputs,
    new: Inputs,
    state: Mapping[str, Any],
) -> Difference:
    """Return the changes from the old inputs to the new; `state` are the old outputs.

    An input that is newly set to what the state already holds is no change; one that the
    provider's settings give, and now give another value, is.
    """
    cloud = resources.cloud
    kind = cloud.schema.type(target.token)
    already_set = {
        key: value
        for key, value in new.items()
        if key not in old and key in state and _state_contains(state[key], value)
    }
    new_inputs = resources.with_provider_settings(target.token, new)
    unstated = {key: value for key, value in new_inputs.items() if key not in new and key in state}
    before = {**old, **already_set, **{key: state[key] for key in unstated}}
    changes = diff.compare(
        kind,
        before,
        {**new, **unstated},
        cloud.conditions.get(target.token, {}),
        lambda path, first, second: cloud.is_spelled_alike(target.token, path, first, second),
        cloud.is_path_changed,
    )
    is_single_use = target.token in cloud.single_use_types
    is_single_use = is_single_use or cloud.deletes_first(cloud.naming(target.token), old, new)
    return Difference(changes, is_single_use and any(change.replaces for change in changes))


def preview_outputs(
    resources: Resources, target: OperationTarget, inputs: Inputs, old: Mapping[str, Any] | None
) -> Inputs:
    """Return the outputs of a preview; `old` are the outputs before an update."""
    cloud = resources.cloud
    kind = cloud.schema.type(target.token)
    outputs = {key: value for key, value in inputs.items() if not key.startswith("__")}
    if kind is None:
        return outputs
    if old is None:
        unset = [key for key in kind.provider_fills if key not in inputs]
        outputs |= dict.fromkeys([*kind.computed, *unset], UNKNOWN)
    else:
        unknown_keys = {*kind.computed, *kind.provider_fills}
        outputs = {key: old[key] for key in unknown_keys if key in old} | outputs
        outputs |= dict.fromkeys(cloud.changed_outputs(target.token), UNKNOWN)
    return outputs | cloud.preview_outputs(kind, resources.settings, inputs, old)


def inputs_read(
    resources: Resources,
    target: OperationTarget,
    now: Inputs,
    known: Mapping[str, Any],
    inputs: Inputs,
) -> Inputs:
    """Return the inputs that give the current outputs, for a refresh or an import.

    `now` are the outputs as read; `known` the outputs and `inputs` the inputs of the last update,
    both empty on import.
    """
    cloud = resources.cloud
    kind = cloud.schema.type(target.token)
    if kind is None:
        return inputs or now
    if not known:
        defaults = {
            **cloud.defaults.get(target.token, {}),
            **resources.with_provider_settings(target.token, {}),
        }
        return cloud.importable(kind, _imported_inputs(kind, defaults, now))
    result = {key: value for key, value in inputs.items() if key.startswith("__")}
    for key, value in inputs.items():
        if key in now and key in kind.inputs:
            result[key] = _refreshed_input(kind, key, value, known.get(key), now[key])
    filled = kind.provider_fills | resources.with_provider_settings(target.token, {}).keys()
    for key in kind.inputs.keys() & now.keys() - inputs.keys() - filled:
        if not _is_empty(now[key]) and not diff.is_same_value(now[key], known.get(key)):
            has_drifted = not isinstance(now[key], dict | list) or now[key] != known.get(key)
            if has_drifted:
                result[key] = now[key]
    return result


def _refreshed_input(
    resource_type: ResourceType, key: str, declared: Any, known: Any, now: Any
) -> Any:
    if diff.is_same_value(now, known) or now == known:
        return declared
    if resource_type.inputs[key].type.startswith("map<"):
        return now
    return _project_onto(now, declared)


def _project_onto(now: Any, declared: Any) -> Any:
    if isinstance(now, dict) and isinstance(declared, dict):
        return {
            key: _project_onto(now[key], value) for key, value in declared.items() if key in now
        }
    if isinstance(now, list) and isinstance(declared, list):
        if all(isinstance(item, str) for item in [*now, *declared]) and sorted(now) == sorted(
            declared
        ):
            return declared
        if len(now) == len(declared):
            return [_project_onto(left, right) for left, right in zip(now, declared, strict=True)]
    return declared if diff.is_same_value(now, declared) else now


def _imported_inputs(
    resource_type: ResourceType, defaults: Mapping[str, Any], now: Inputs
) -> Inputs:
    return {
        key: now[key]
        for key in resource_type.inputs
        if key in now
        and not _is_empty(now[key])
        and now[key] is not False
        and defaults.get(key) != now[key]
    }


def _state_contains(state: Any, value: Any) -> bool:
    if isinstance(state, dict) and isinstance(value, dict):
        return all(
            key in state and _state_contains(state[key], item) for key, item in value.items()
        )
    return diff.is_same_value(state, value) or (type(state) is type(value) and state == value)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
