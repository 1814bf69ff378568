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
    declared = _properties_by_resource(program)
    for step in preview.get("steps") or ():
        state = step.get("newState") or {}
        name = str(state.get("urn", "")).rpartition("::")[2]
        properties = declared.get((str(state.get("type")), name))
        if properties is not None and isinstance(state.get("inputs"), dict):
            state["inputs"] = _fill_json_texts(state["inputs"], properties, variables)


def _properties_by_resource(program: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """Return the properties of the program's own resources, by type and logical name."""
    by_resource = {}
    for key, declared in mapping(program.get("resources")).items():
        resource = mapping(declared)
        token, properties = resource.get("type"), resource.get("properties")
        if isinstance(token, str) and isinstance(properties, dict):
            by_resource[canonical(token), str(resource.get("name", key))] = properties
    return by_resource


def _fill_json_texts(value: Any, declared: Any, variables: Mapping[str, Any]) -> Any:
    """Return a value of a preview, where unknown JSON texts are what the program declares."""
    declared = _resolve_variable(declared, variables)
    if value == UNKNOWN_TEXT:
        content = _json_content(declared)
        return value if content is None else _content(content, variables, 0)
    if isinstance(value, dict) and isinstance(declared, dict):
        return {
            key: _fill_json_texts(inner, declared.get(key), variables)
            for key, inner in value.items()
        }
    if isinstance(value, list) and isinstance(declared, list) and len(value) == len(declared):
        return [_fill_json_texts(*pair, variables) for pair in zip(value, declared, strict=True)]
    return value


def _json_content(declared: Any) -> Any:
    """Return the argument of `fn::toJSON`; None for any other value."""
    if isinstance(declared, dict) and len(declared) == 1:
        ((key, content),) = declared.items()
        if str(key).lower() == _TO_JSON:
            return content
    return None


def _content(declared: Any, variables: Mapping[str, Any], depth: int) -> Any:
    """Return declared values, with unknown ones for references and calls of functions."""
    declared = _resolve_variable(declared, variables)
    if depth > _DEEPEST or _is_call(declared):
        return UNKNOWN_TEXT
    if isinstance(declared, dict):
        return {str(key): _content(inner, variables, depth + 1) for key, inner in declared.items()}
    if isinstance(declared, list):
        return [_content(inner, variables, depth + 1) for inner in declared]
    if isinstance(declared, str):
        return _text(declared)
    return declared


def _is_call(declared: Any) -> bool:
    return isinstance(declared, dict) and any(
        str(key).lower().startswith(_CALL) for key in declared
    )


def _text(declared: str) -> str:
    """Return a literal text; unknown with a reference in it."""
    if _OPENING in declared.replace(_ESCAPED_REFERENCE, ""):
        return UNKNOWN_TEXT
    return declared.replace(_ESCAPED_REFERENCE, _OPENING)


def _resolve_variable(declared: Any, variables: Mapping[str, Any]) -> Any:
    """Return the variable that a text refers to as a whole; any other value as it is."""
    seen: set[str] = set()
    while isinstance(declared, str) and declared[:2] == _OPENING and declared[-1:] == "}":
        name = declared[2:-1].strip()
        if name not in variables or name in seen:
            break
        seen.add(name)
        declared = variables[name]
    return declared
