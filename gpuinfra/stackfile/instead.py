"""Suggestions for a misplaced key, or for a plain value where a mapping is required."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from gpuinfra.errors import PathPart
from gpuinfra.specs.fields import KIND
from gpuinfra.specs.forms import Form
from gpuinfra.stackfile.grammar import form_at, keys_of, place
from gpuinfra.units import plain

_NAME: Final = "NAME"
"""What a fix calls an entry whose name its reader chooses."""

_LEFT_OUT: Final = "…"


def places_for(path: Sequence[PathPart], root: type[Form]) -> Iterator[str]:
    """Yield where else the grammar has a key: in a part of its mapping, or in an outer mapping."""
    *around, key = path
    form = form_at(around, root)
    for name in keys_of(form) if form else ():
        for within in ((name,), (name, _NAME)):
            inner = form_at((*around, *within), root)
            if inner and key in keys_of(inner):
                yield place((*around, *within))
    for depth in reversed(range(len(around))):
        outer = form_at(around[:depth], root)
        if outer and key in keys_of(outer):
            yield place(around[:depth]) if depth else "the top of the file"


def move_hint(
    path: Sequence[PathPart],
    places: Sequence[str],
    root: type[Form],
    written: tuple[object, object],
) -> str:
    """Return where to move a key, or the mapping to write in place of a short form there.

    `written` is the plain value of a whole file, None where there is none, and that of the key.
    """
    *around, key = path
    held: Any = written[0]
    for part in around:
        held = held[part] if isinstance(held, dict) and part in held else None
    for name, value in held.items() if isinstance(held, dict) and len(places) == 1 else ():
        inner = form_at((*around, name), root)
        if inner and place((*around, name)) == places[0] and not isinstance(value, dict):
            with suppress(PydanticCustomError):
                whole = inner.spelled_out(value)
                if isinstance(whole, dict):
                    return f"write {name}: {flow({**whole, str(key): written[1]})}"
    return f"move it to {' or '.join(places)}"


def as_mapping(path: Sequence[PathPart], root: type[Form], given: object) -> str:
    """Return how to write a mapping instead of a value, with the value in it if possible."""
    if not path:
        first = "write keys and values" if "version" in root.filled else "start with version: 1"
        return f"{first}; {root.example}"
    form = form_at(path, root)
    if form is None:
        form = form_at((*path, _NAME), root)
        return f"use {flow({_NAME: _mapping(form, given) if form else _LEFT_OUT})}"
    return f"use {flow(_mapping(form, given))}, or indent its keys below it"


def _mapping(form: type[Form], given: object) -> dict[str, object]:
    """Return a mapping of a form, with a value where one of its keys accepts it."""
    mapping = {} if given is None else _holding(form, given)
    required = {key for key, field in form.model_fields.items() if field.is_required()}
    needed = required - form.filled | mapping.keys()
    keys = [key for key in keys_of(form) if key in needed] or keys_of(form)[:1]
    return {key: mapping.get(key, _example(form, key)) for key in keys}


def flow(value: object) -> str:
    """Return a plain value as YAML on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _example(form: type[Form], key: str) -> object:
    examples = form.model_fields[key].examples
    return examples[0] if examples else _LEFT_OUT


def _holding(form: type[Form], given: object) -> dict[str, object]:
    """Return the first key of a form that accepts a value, with the value; empty if none does."""
    for key in keys_of(form):
        for value in (given, [given]):
            faults = _faults(form, key, value)
            if not faults:
                return {key: value}
            near = faults[0].get("ctx", {}).get("suggestion") if len(faults) == 1 else ""
            if near:
                return {key: [near] if isinstance(value, list) else near}
    return {}


def _faults(form: type[Form], key: str, value: object) -> list[Any]:
    """Return the errors of a value under a key of a form, or below it."""
    try:
        form.model_validate({key: value})
    except ValidationError as error:
        of_key = (fault for fault in error.errors() if fault["loc"][:1] == (key,))
        return [fault if fault["type"] == KIND else {} for fault in of_key]
    return []


def one_of_two(workload: object) -> str:
    """Which of gpu and instance to remove, and why."""
    from gpuinfra.clouds import PRICED, priced  # noqa: PLC0415  (only a mistake needs it)

    given = workload if isinstance(workload, Mapping) else {}
    gpu, instance = given.get("gpu"), given.get("instance")
    known = (priced(cloud).machines.get(str(instance)) for cloud in PRICED)
    machine = next(filter(None, known), None)
    has = f": {instance} has {machine.gpu}:{plain(machine.gpu_count)}" if machine else ""
    asked = gpu if isinstance(gpu, str) else "these GPUs"
    return f"remove gpu{has}; or remove instance, and the cheapest machine with {asked} is chosen"
