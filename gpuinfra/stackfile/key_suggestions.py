"""Suggestions for a misplaced key, or for a plain value where a mapping is required."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from gpuinfra.errors import PathPart
from gpuinfra.model import EXAMPLE_SIZE
from gpuinfra.specs.fields import KIND
from gpuinfra.specs.forms import Form, RequiredKeyForm
from gpuinfra.stackfile.file_names import with_free_folder
from gpuinfra.stackfile.grammar import form_at, key_example, keys_of, path_text
from gpuinfra.stackfile.plain_values import value_at, without_key
from gpuinfra.stackfile.tried_edits import (
    causes_none,
    spelled_out,
    with_moved_key,
    with_renamed_key,
)
from gpuinfra.stackfile.yaml_composer import MISSING
from gpuinfra.units import plain

_NAME: Final = "NAME"
"""The placeholder name of an entry that the user names."""

_ENTRY_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")

_LEFT_OUT: Final = "…"


def places_for(path: Sequence[PathPart], root: type[Form]) -> Iterator[tuple[PathPart, ...]]:
    """Yield where else the grammar has a key: in a part of its mapping, or in an outer mapping.

    Each is the path of the mapping; the whole file's is empty.
    """
    *parent, key = path
    for within in _inner_mapping_paths(parent, root):
        inner_form = form_at(within, root)
        if inner_form and key in keys_of(inner_form):
            yield within
    for depth in reversed(range(len(parent))):
        outer = form_at(parent[:depth], root)
        if outer and key in keys_of(outer):
            yield tuple(parent[:depth])


def _inner_mapping_paths(
    path: Sequence[PathPart], root: type[Form]
) -> Iterator[tuple[PathPart, ...]]:
    """Yield the paths of the mappings in a mapping, then of those in these."""
    form = form_at(path, root)
    within = [(*path, name) for name in keys_of(form)] if form else []
    for inner_path in within:
        yield inner_path
        yield (*inner_path, _NAME)
    for inner_path in within if path else ():
        deeper = form_at(inner_path, root)
        yield from ((*inner_path, name) for name in keys_of(deeper)) if deeper else ()


def move_hint(path: Sequence[PathPart], root: type[Form], file: object) -> str:
    """Return where to move a key, or the mapping to write there; empty where it fits nowhere.

    `file` is the plain value of the whole file, None where there is none; with it, each place is
    tried, and one where the key would be a fault is not named.
    """
    key_paths = tuple(places_for(path, root))
    fitting = [to for to in key_paths if _can_move(path, to, root, file)]
    fitting = fitting or [
        to for to in _top_mappings(path, root, file) if _can_move(path, to, root, file)
    ]
    if not fitting:
        return _replacement_hint(path, key_paths, root, file) or _misplaced_key_advice(key_paths)
    if len(fitting) == 1 and not isinstance(value_at(file, fitting[0]), dict | None):
        mapping_there = spelled_out(value_at(file, fitting[0]), fitting[0], root)
        mapping = {**(mapping_there or {}), path[-1]: value_at(file, path)}
        return f"write {fitting[0][-1]}: {flow(mapping)}"
    return f"move it to {' or '.join(map(_place_text, fitting))}"


def _top_mappings(
    path: Sequence[PathPart], root: type[Form], file: object
) -> Iterator[tuple[PathPart, ...]]:
    """Yield the mappings at the top of the file that may have a key of an inner mapping."""
    for name in keys_of(root) if path[1:] else ():
        inner_form = form_at((name,), root)
        if (
            inner_form
            and path[-1] in keys_of(inner_form)
            and isinstance(value_at(file, (name,)), dict)
        ):
            yield (name,)


def _misplaced_key_advice(key_paths: Sequence[tuple[PathPart, ...]]) -> str:
    """Return the advice for a misplaced key that would be a fault in the other place, too."""
    if not key_paths:
        return ""
    place_text = _place_text(key_paths[0])
    return f"remove it; it is a key of {place_text}, but can't be moved there unchanged"


def _place_text(path: Sequence[PathPart]) -> str:
    return path_text(path) if path else "the top of the file"


def _can_move(
    path: Sequence[PathPart], target: Sequence[PathPart], root: type[Form], file: object
) -> bool:
    """Return whether a key may be moved into a mapping, as far as the file tells."""
    if file is None or _NAME in target:
        return True
    edited = with_moved_key(file, path, target, root)
    return edited is not None and causes_none(file, edited, root)


def _replacement_hint(
    path: Sequence[PathPart],
    key_paths: Sequence[tuple[PathPart, ...]],
    root: type[Form],
    file: object,
) -> str:
    """Return what to write in place of another key that excludes the place; else empty."""
    parent = path[:-1]
    for target in key_paths:
        edited = with_moved_key(file, path, target, root)
        parent_value = value_at(edited, parent) if len(target) > len(parent) else None
        for other in parent_value if isinstance(parent_value, dict) else ():
            edited_holder = without_key(edited, (*parent, other))
            if other != target[len(parent)] and causes_none(file, edited_holder, root):
                name = target[len(parent)]
                mapping_text = flow({name: value_at(parent_value, (name,))})[1:-1]
                return f"remove it; or write {mapping_text} in place of {other}"
    return ""


def renaming_hint(
    path: Sequence[PathPart], suggestion: str, root: type[Form], file: object
) -> str:
    """Return what to do about a key whose likely name is taken or excluded; else empty."""
    *parent, key = path
    holder = value_at(file, parent)
    if not isinstance(holder, dict) or key not in holder:
        return ""
    if holder.get(suggestion, MISSING) is not MISSING:
        return f"remove it: {suggestion} is set"
    file = without_key(file, (*parent, suggestion))
    edited = with_renamed_key(file, path, suggestion)
    if _mapping_messages(edited, parent, root) <= _mapping_messages(file, parent, root):
        return ""
    for other in holder:
        edited_holder = without_key(edited, (*parent, other))
        if other != key and _mapping_messages(edited_holder, parent, root) <= _mapping_messages(
            file, parent, root
        ):
            entry_text = flow({suggestion: holder[key]})[1:-1]
            return f"remove it; or write {entry_text} in place of {other}"
    return ""


def listed_value(path: Sequence[PathPart], suggestion: str, root: type[Form], file: object) -> str:
    """Return how to write a misspelt key of a single value that must be a list; else empty."""
    *parent, _ = path
    form, value = form_at(parent, root), value_at(file, path)
    if form is None or not isinstance(value, str):
        return ""
    if not _is_refused(form, suggestion, value) or _is_refused(form, suggestion, [value]):
        return ""
    return f"write {flow({suggestion: [value]})[1:-1]}"


def _is_refused(form: type[Form], key: str, value: object) -> bool:
    """Return whether a form refuses a value under a key, or below it."""
    try:
        form.model_validate({key: value})
    except ValidationError as error:
        return any(fault["loc"][:1] == (key,) for fault in error.errors())
    return False


def _mapping_messages(
    file: object, holder: Sequence[PathPart], root: type[Form]
) -> frozenset[str]:
    """Return the messages about a mapping as a whole, for example of keys that exclude others."""
    try:
        root.model_validate(file)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        return frozenset(fault["msg"] for fault in faults if fault["loc"] == tuple(holder))
    return frozenset()


def mapping_hint(path: Sequence[PathPart], root: type[Form], value: object) -> str:
    """Return how to write a mapping instead of a value, with the value in it if possible."""
    if not path:
        first = (
            "write keys and values"
            if "version" in root.filled_in_fields
            else "start with version: 1"
        )
        return f"{first}; {with_free_folder(root.example)}"
    form = form_at(path, root)
    if form is None:
        form = form_at((*path, _NAME), root)
        names = _name_like_texts(value)
        entries = {name: _mapping(form, None) if form else _LEFT_OUT for name in names}
        return f"use {flow(entries or {_NAME: _mapping(form, value) if form else _LEFT_OUT})}"
    return f"use {flow(_mapping(form, value))}, or indent its keys below it"


def _name_like_texts(value: object) -> list[str]:
    """Return the texts of a value that look like names of entries."""
    texts = value if isinstance(value, list | tuple) else (value,)
    return [text for text in texts if isinstance(text, str) and _ENTRY_NAME.fullmatch(text)]


def _mapping(form: type[Form], value: object) -> dict[str, object]:
    """Return a mapping of a form, with a value where one of its keys accepts it."""
    mapping = {} if value in (None, [], "") else _accepting_key(form, value)
    required = {key for key, field in form.model_fields.items() if field.is_required()}
    required_keys = required - form.filled_in_fields | mapping.keys()
    if issubclass(form, RequiredKeyForm) and required_keys.isdisjoint(form.needs.keys):
        required_keys |= {form.needs.keys[0]}
    keys = [key for key in keys_of(form) if key in required_keys] or keys_of(form)[:1]
    return {key: mapping.get(key, _example(form, key)) for key in keys}


EXAMPLE_BUCKET: Final = "data"


def bucket_declaration(name: str, *, has_buckets: bool) -> str:
    """Return how to declare a bucket, as the first or beside others (`has_buckets`)."""
    entry = f"{name}: {{size: {EXAMPLE_SIZE}}}"
    if has_buckets:
        return f"add under buckets: {entry}, with the size that you expect"
    return f"add at the top of the file: buckets: {{{entry}}}, with the size that you expect"


def missing_bucket(file: object) -> str:
    """Return how to name a bucket of a file, or one that is declared with it."""
    buckets_value = file.get("buckets") if isinstance(file, Mapping) else None
    if isinstance(buckets_value, Mapping) and buckets_value:
        return f"add bucket: {next(iter(buckets_value))}"
    return f"add bucket: {EXAMPLE_BUCKET}; {bucket_declaration(EXAMPLE_BUCKET, has_buckets=False)}"


def flow(value: object) -> str:
    """Return a plain value as YAML on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _example(form: type[Form], key: str) -> object:
    return key_example(form.model_fields[key]) or _LEFT_OUT


def _accepting_key(form: type[Form], raw_value: object) -> dict[str, object]:
    """Return the first key of a form that accepts a value, with the value; empty if none does."""
    for key in keys_of(form):
        for value in (raw_value, [raw_value]):
            faults = _faults(form, key, value)
            if not faults:
                return {key: value}
            suggestion = faults[0].get("ctx", {}).get("suggestion") if len(faults) == 1 else ""
            if suggestion:
                return {key: [suggestion] if isinstance(value, list) else suggestion}
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
    """Return which of gpu and instance to remove, and why."""
    from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of  # noqa: PLC0415  (only a mistake needs it)

    mapping = workload if isinstance(workload, Mapping) else {}
    gpu, instance = mapping.get("gpu"), mapping.get("instance")
    machine_rows = (priced_cloud_of(cloud).machines.get(str(instance)) for cloud in PRICED_CLOUDS)
    machine = next(filter(None, machine_rows), None)
    has = f": {instance} has {machine.gpu}:{plain(machine.gpu_count)}" if machine else ""
    gpu_text = gpu if isinstance(gpu, str) else "these GPUs"
    return (
        f"remove gpu{has}; or remove instance, and the cheapest machine with {gpu_text} is chosen"
    )
