"""What the plugin answers to the engine, in plain values: check, diff, preview, read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin import check, diff, naming
from gpuinfra.sandbox.plugin.check import Failure
from gpuinfra.sandbox.plugin.cloud import Cloud
from gpuinfra.sandbox.plugin.diff import Change
from gpuinfra.sandbox.plugin.naming import DEFAULTS_KEY, Proposal
from gpuinfra.sandbox.plugin.resources import Resources, Target
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.wire import UNKNOWN, has_unknown

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """What changes, and whether a replacement must delete before it creates."""

    changes: list[Change]
    delete_first: bool


def checked(
    cloud: Cloud,
    target: Target,
    inputs: Inputs,
    old: Inputs,
    seed: bytes,
    proposal: Proposal | None,
) -> tuple[Inputs, list[Failure]]:
    """The inputs with a name made up where needed, and all that is wrong with them."""
    kind = cloud.schema.type(target.token)
    if kind is None:
        return inputs, []
    inputs = {key: value for key, value in inputs.items() if key != DEFAULTS_KEY}
    rule = cloud.naming(target.token)
    failures = naming.fill(rule, inputs, old, target.name, seed, proposal)
    failures += check.check(cloud.schema, kind, inputs)
    if not failures:
        failures = [*cloud.needs(target.token, inputs), *naming.problems(rule, inputs)]
    return inputs, failures


def difference(
    cloud: Cloud, target: Target, old: Inputs, new: Inputs, state: Mapping[str, Any]
) -> Difference:
    """The changes from the old inputs to the new; `state` are the old outputs.

    An input that is newly set to what the state already holds is no change.
    """
    kind = cloud.schema.type(target.token)
    held = {
        key: value
        for key, value in new.items()
        if key not in old and key in state and _holds(state[key], value)
    }
    before = {**old, **held}
    changes = diff.compare(kind, before, new, cloud.conditions.get(target.token, {}))
    rule = cloud.naming(target.token)
    fixed_name = (
        rule is not None
        and new.get(rule.key) is not None
        and rule.key not in new.get(DEFAULTS_KEY, ())
        and diff.same(old.get(rule.key), new.get(rule.key))
    )
    return Difference(changes, fixed_name and any(change.replaces for change in changes))


def foreseen(
    cloud: Cloud,
    resources: Resources,
    target: Target,
    inputs: Inputs,
    old: Mapping[str, Any] | None,
) -> Inputs:
    """The outputs that a preview shows; `old` are the outputs before an update."""
    kind = cloud.schema.type(target.token)
    outputs = {key: value for key, value in inputs.items() if not key.startswith("__")}
    if kind is None:
        return outputs
    if old is None:
        unset = [key for key in kind.provider_fills if key not in inputs]
        outputs |= dict.fromkeys([*kind.computed, *unset], UNKNOWN)
        if "region" in kind.inputs:
            outputs["region"] = inputs.get("region") or resources.region
    else:
        kept = {*kind.computed, *kind.provider_fills, "region"}
        outputs = {key: old[key] for key in kept if key in old} | outputs
        outputs |= dict.fromkeys(cloud.changing(target.token), UNKNOWN)
    if "tagsAll" in kind.computed:
        tags = inputs.get("tags") or {}
        known = not has_unknown(tags)
        outputs["tagsAll"] = resources.default_tags | tags if known else UNKNOWN
    return outputs


def inputs_read(
    cloud: Cloud, target: Target, now: Inputs, known: Mapping[str, Any], inputs: Inputs
) -> Inputs:
    """The inputs that would give what stands now.

    `now` are the outputs as read; `known` the outputs and `inputs` the inputs of the last update,
    both empty on import.
    """
    kind = cloud.schema.type(target.token)
    if kind is None:
        return inputs or now
    if not known:
        return _imported(kind, cloud.defaults.get(target.token, {}), now)
    result = {key: value for key, value in inputs.items() if key.startswith("__")}
    for key, value in inputs.items():
        if key in now and key in kind.inputs:
            result[key] = _seen(kind, key, value, known.get(key), now[key])
    for key in kind.inputs.keys() & now.keys() - inputs.keys() - kind.provider_fills - {"region"}:
        if not _empty(now[key]) and not diff.same(now[key], known.get(key)):
            drifted = not isinstance(now[key], dict | list) or now[key] != known.get(key)
            if drifted:
                result[key] = now[key]
    return result


def _seen(kind: ResourceType, key: str, given: Any, known: Any, now: Any) -> Any:
    if diff.same(now, known) or now == known:
        return given
    if kind.inputs[key].type.startswith("map<"):
        return now
    return _projected(now, given)


def _projected(now: Any, given: Any) -> Any:
    if isinstance(now, dict) and isinstance(given, dict):
        return {key: _projected(now[key], value) for key, value in given.items() if key in now}
    if isinstance(now, list) and isinstance(given, list):
        if all(isinstance(item, str) for item in [*now, *given]) and sorted(now) == sorted(given):
            return given
        if len(now) == len(given):
            return [_projected(left, right) for left, right in zip(now, given, strict=True)]
    return given if diff.same(now, given) else now


def _imported(kind: ResourceType, defaults: Mapping[str, Any], now: Inputs) -> Inputs:
    return {
        key: now[key]
        for key in kind.inputs
        if key in now
        and key != "region"
        and not _empty(now[key])
        and now[key] is not False
        and defaults.get(key) != now[key]
    }


def _holds(state: Any, value: Any) -> bool:
    if isinstance(state, dict) and isinstance(value, dict):
        return all(key in state and _holds(state[key], item) for key, item in value.items())
    return diff.same(state, value) or (type(state) is type(value) and state == value)


def _empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
