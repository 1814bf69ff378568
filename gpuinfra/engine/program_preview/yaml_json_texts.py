"""The JSON texts of a YAML program that are unknown in its preview, with what is known of them.

The host writes `fn::toJSON` as one unknown text as soon as a value inside it is unknown. The
program says everything else, so that a policy can be judged by its actions:
https://www.pulumi.com/docs/iac/languages-sdks/yaml/yaml-language-reference/#fntojson
"""

from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.engine.program_preview.project import mapping
from gpuinfra.engine.program_preview.yaml_program import canonical
from gpuinfra.pulumi_special_values import UNKNOWN_TEXT
from gpuinfra.urns import name_of

_TO_JSON: Final = "fn::tojson"
_CALL: Final = "fn::"
_OPENING: Final = "${"
_ESCAPED_REFERENCE: Final = "$${"
_DEEPEST: Final = 100


def with_known_parts(preview: Mapping[str, Any], program: Mapping[str, Any]) -> None:
    """Replace each unknown JSON text of a preview by its content, with unknown leaves.

    Args:
        preview: `pulumi preview --json`, changed in place.
        program: the content of the program's file.
    """
    variables = mapping(program.get("variables"))
    declared_properties = _properties_by_resource(program)
    for step in preview.get("steps") or ():
        state = step.get("newState") or {}
        name = name_of(str(state.get("urn", "")))
        properties = declared_properties.get((str(state.get("type")), name))
        if properties is not None and isinstance(state.get("inputs"), dict):
            state["inputs"] = _fill_json_texts(state["inputs"], properties, variables)


def _properties_by_resource(program: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """Return the properties of the program's own resources, by type and logical name."""
    by_resource = {}
    for key, declared_resource in mapping(program.get("resources")).items():
        resource = mapping(declared_resource)
        token, properties = resource.get("type"), resource.get("properties")
        if isinstance(token, str) and isinstance(properties, dict):
            by_resource[canonical(token), str(resource.get("name", key))] = properties
    return by_resource


def _fill_json_texts(value: Any, declared_value: Any, variables: Mapping[str, Any]) -> Any:
    """Return a value of a preview, where unknown JSON texts are what the program declares."""
    declared_value = _resolve_variable(declared_value, variables)
    if value == UNKNOWN_TEXT:
        content = _json_content(declared_value)
        return value if content is None else _content(content, variables, 0)
    if isinstance(value, dict) and isinstance(declared_value, dict):
        return {
            key: _fill_json_texts(nested_value, declared_value.get(key), variables)
            for key, nested_value in value.items()
        }
    if (
        isinstance(value, list)
        and isinstance(declared_value, list)
        and len(value) == len(declared_value)
    ):
        return [
            _fill_json_texts(*pair, variables) for pair in zip(value, declared_value, strict=True)
        ]
    return value


def _json_content(declared_value: Any) -> Any:
    """Return the argument of `fn::toJSON`; None for any other value."""
    if isinstance(declared_value, dict) and len(declared_value) == 1:
        ((key, content),) = declared_value.items()
        if str(key).lower() == _TO_JSON:
            return content
    return None


def _content(declared_value: Any, variables: Mapping[str, Any], depth: int) -> Any:
    """Return declared values, with unknown ones for references and calls of functions."""
    declared_value = _resolve_variable(declared_value, variables)
    if depth > _DEEPEST or _is_call(declared_value):
        return UNKNOWN_TEXT
    if isinstance(declared_value, dict):
        return {
            str(key): _content(nested_value, variables, depth + 1)
            for key, nested_value in declared_value.items()
        }
    if isinstance(declared_value, list):
        return [_content(nested_value, variables, depth + 1) for nested_value in declared_value]
    if isinstance(declared_value, str):
        return _text(declared_value)
    return declared_value


def _is_call(declared_value: Any) -> bool:
    return isinstance(declared_value, dict) and any(
        str(key).lower().startswith(_CALL) for key in declared_value
    )


def _text(declared_text: str) -> str:
    """Return a literal text; unknown with a reference in it."""
    if _OPENING in declared_text.replace(_ESCAPED_REFERENCE, ""):
        return UNKNOWN_TEXT
    return declared_text.replace(_ESCAPED_REFERENCE, _OPENING)


def _resolve_variable(declared_value: Any, variables: Mapping[str, Any]) -> Any:
    """Return the variable that a text refers to as a whole; any other value as it is."""
    visited_names: set[str] = set()
    while (
        isinstance(declared_value, str)
        and declared_value[:2] == _OPENING
        and declared_value[-1:] == "}"
    ):
        name = declared_value[2:-1].strip()
        if name not in variables or name in visited_names:
            break
        visited_names.add(name)
        declared_value = variables[name]
    return declared_value
