"""The form of the mapping at a path of a file, by default of a stack file."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args, get_origin

from pydantic.fields import FieldInfo

from gpuinfra.errors import PathPart
from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Stack

_MAX_SHOWN: Final = 60
_EXAMPLE: Final = re.compile(r"\bfor example ([^\s,]*[^\s,.])|^Always (\S+?)\.?$")
"""The value in a key's description, which is written where the key is missing."""


def form_at(path: Sequence[PathPart], root: type[Form] = Stack) -> type[Form] | None:
    """Return the form of the mapping at a path of a file; None when no mapping belongs there."""
    hint: Any = root
    for part in path:
        hint = _inner_type(hint, part)
    return hint if _is_form(hint) else None


def keys_of(form: type[Form]) -> tuple[str, ...]:
    """Return the keys that a user may write in a form, in the order of the grammar."""
    return tuple(key for key in form.model_fields if key not in form.fields_without_key)


def probable_keys(mapping: Mapping[Any, Any], path: Sequence[PathPart]) -> frozenset[str]:
    """Return the missing keys that unknown keys of a stack file's mapping probably mean.

    No default stands in for them.
    """
    form = form_at(path)
    if form is None:
        return frozenset()
    accepted_keys = {*keys_of(form), *form.unsupported_keys, *form.key_hints}
    unknown = [key for key in mapping if isinstance(key, str) and key not in accepted_keys]
    return frozenset(filter(None, map(form.nearest_key, unknown))) - mapping.keys()


def path_text(path: Sequence[PathPart], root: type[Form] = Stack) -> str:
    """Return a path as text: training.trainer.data[0].bucket; for no path, the whole file."""
    path_as_text = ""
    for part in path:
        path_as_text += f"[{part}]" if isinstance(part, int) else f".{part[:_MAX_SHOWN]}"
    return path_as_text.lstrip(".") or root.file_title


def key_example(field: FieldInfo) -> Any:
    """Return a value from a key's examples or description; None where neither has one."""
    if field.examples:
        return field.examples[0]
    example = _EXAMPLE.search(field.description or "")
    return example and (example[1] or example[2])


def _inner_type(hint: Any, part: PathPart) -> Any:
    """Return the type that the grammar has under one key or index."""
    if _is_form(hint):
        field = hint.model_fields.get(part)
        return _bare_type(field.annotation) if field else None
    if get_origin(hint) in (dict, tuple):
        return _bare_type(get_args(hint)[1 if get_origin(hint) is dict else 0])
    return None


def _bare_type(annotation: Any) -> Any:
    """Return an annotation without "or None" and without metadata."""
    if hasattr(annotation, "__metadata__"):
        return _bare_type(annotation.__origin__)
    options = [argument for argument in get_args(annotation) if argument is not type(None)]
    if get_origin(annotation) not in (dict, tuple) and options:
        return _bare_type(options[0])
    return annotation


def _is_form(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Form)
