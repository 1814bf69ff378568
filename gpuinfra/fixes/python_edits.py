"""Edits as code of a Pulumi program in Python.

Names of properties are in snake case, and keys of maps of the user's own stay:
https://www.pulumi.com/docs/iac/languages-sdks/python/
https://www.pulumi.com/docs/iac/concepts/inputs-outputs/apply/
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from gpuinfra.fixes.fix import Edit, Path
from gpuinfra.model import Unknown

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_REFERENCE: Final = re.compile(r"\$\{([^}.]+)\.(\w+)\}")
"""A property of another resource, as a program in YAML names it."""

_OWN_KEYS: Final = frozenset({"tags", "tagsAll", "tags_all", "labels", "metadata", "variables"})
"""Properties whose keys are the user's own words."""


def edit_as_python(edit: Edit) -> str:
    """Return one edit of a resource as Python: the argument to pass or the property to set."""
    name = edit.resource.rpartition("::")[2]
    kind = _class(edit.type)
    if edit.removes_resource:
        return f"{kind} `{name}`: remove it"
    if edit.adds_resource:
        return f"add for `{name}`: {kind}(…, {_arguments(edit.after)})"
    if edit.after is None:
        return f"{kind} `{name}`: remove {_path_code(edit.path)}"
    return f"{kind} `{name}`: {_assignment(edit)}"


def _class(type_: str) -> str:
    """Return the class of a resource type: aws.ec2.Instance for aws:ec2/instance:Instance."""
    package, _, rest = type_.partition(":")
    module, _, class_ = rest.rpartition(":")
    first, _, last = module.rpartition("/")
    if first and last.lower() == class_.lower():
        module = first
    parts = [part for part in (package.replace("-", "_"), *module.split("/"), class_) if part]
    return ".".join(part for part in parts if part != "index")


def _assignment(edit: Edit) -> str:
    """Return an argument with its nested value; an assignment of what changes in an existing one.

    A path with an index is inside of a list.
    """
    path, value = edit.path, edit.after
    if edit.is_inside or any(isinstance(part, int) for part in path):
        return f"{_path_code(path)} = {_value(value, own=path[-1] in _OWN_KEYS)}"
    first, *inner = path
    for part in reversed(inner):
        value = {part: value}
    return f"{_snake(str(first))}={_value(value, own=first in _OWN_KEYS)}"


def _path_code(path: Path) -> str:
    if path[0] in _OWN_KEYS:
        return _snake(str(path[0])) + "".join(f"[{json.dumps(part)}]" for part in path[1:])
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{_snake(part)}" for part in path)
    return words.removeprefix(".")


def _arguments(value: Any) -> str:
    if not isinstance(value, Mapping):
        return _value(value)
    return ", ".join(
        f"{_snake(str(key))}={_value(inner, own=key in _OWN_KEYS)}" for key, inner in value.items()
    )


def _value(value: Any, *, own: bool = False, deep: bool = False) -> str:
    """Return a value as Python code; `own` keeps the keys of a map, `deep` those at all depths."""
    if isinstance(value, Mapping):
        pairs = (
            f'"{key if own else _snake(str(key))}": '
            f"{_value(inner, own=deep or key in _OWN_KEYS, deep=deep)}"
            for key, inner in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(inner, own=deep, deep=deep) for inner in value)}]"
    if isinstance(value, str):
        return _text(value)
    return "…" if isinstance(value, Unknown) else str(value)


def _text(value: str) -> str:
    """Return a string as Python code; JSON as `json_dumps`, a reference as the property itself."""
    document = _document(value)
    if document is not None:
        return f"pulumi.Output.json_dumps({_value(document, own=True, deep=True)})"
    references = list(_REFERENCE.finditer(value))
    names = [_name(reference) for reference in references]
    if _REFERENCE.fullmatch(value):
        return names[0]
    if not names:
        return _quote_text(value)
    form, end = "", 0
    for number, reference in enumerate(references):
        form += f"{_escape_braces(value[end : reference.start()])}{{{number}}}"
        end = reference.end()
    form += _escape_braces(value[end:])
    return f"pulumi.Output.format({_quote_text(form)}, {', '.join(names)})"


def _escape_braces(text: str) -> str:
    """Return a text with its braces doubled for `format`."""
    return text.replace("{", "{{").replace("}", "}}")


def _document(text: str) -> Any:
    """Return the mapping in a JSON text; None for any other text."""
    try:
        value = json.loads(text) if text.startswith("{") else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _name(reference: re.Match[str]) -> str:
    return f"{_snake(reference[1]).replace('-', '_')}.{_snake(reference[2])}"


def _quote_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()
