"""Every key of a stack file by its path, with its description from the schema."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, get_args, get_origin

from pydantic.fields import FieldInfo

from gpuinfra.specs import values
from gpuinfra.specs.fields import FieldReader
from gpuinfra.specs.forms import Form, ListRule
from gpuinfra.specs.schema import Inference, Stack, Step, Workload

_WORKLOAD_KEYS: Final = frozenset(Workload.model_fields)
"""Words of a pool already listed under `training`."""


@cache
def key_descriptions() -> Mapping[str, str]:
    """Return each key's description by path (`training.disk.iops`), in the file's order."""
    return {
        path: "" if field is None else field.description or ""
        for path, field in _key_fields().items()
    }


def short_forms(path: str) -> tuple[str, ...]:
    """Return what a key takes besides a mapping, a list and words of the schema, in words."""
    path_parts = _own_parts(path)
    readers = (part.allowed for part in path_parts if isinstance(part, FieldReader))
    forms = (part.short for part in path_parts if not isinstance(part, FieldReader | ListRule))
    return tuple(filter(None, (*readers, *forms)))


def list_examples(path: str) -> tuple[str, ...]:
    """Return the examples of a key that takes a list, as lines of a file."""
    return tuple(part.example for part in _own_parts(path) if isinstance(part, ListRule))


@cache
def _key_fields() -> Mapping[str, FieldInfo | None]:
    """Return each key's field by path; None for the ways to buy, which are words of a step.

    A form with several uses is visited at its first one.
    """
    return dict(_walk(Stack, "", set()))


def _walk(
    form: type[Form], above: str, visited_forms: set[type[Form]]
) -> Iterator[tuple[str, FieldInfo | None]]:
    visited_forms.add(form)
    if form is Step:
        yield from ((f"{above}{kind}", None) for kind in get_args(get_args(values.Kind)[0]))
    for name, field in form.model_fields.items():
        if name in form.fields_without_key or (form is Inference and name in _WORKLOAD_KEYS):
            continue
        path = f"{above}{name}"
        yield path, field
        for inner_form in _forms((field.annotation, *field.metadata)):
            if inner_form not in visited_forms:
                yield from _walk(inner_form, f"{path}.", visited_forms)


def _own_parts(path: str) -> tuple[FieldReader | ListRule | type[Form], ...]:
    """Return the readers and forms of a key's own value, not of what a list or mapping holds."""
    field = _key_fields()[path]
    return () if field is None else tuple(_parts((field.annotation, *field.metadata)))


def _parts(annotation: Any) -> Iterator[FieldReader | ListRule | type[Form]]:
    if get_origin(annotation) in (tuple, dict):
        return
    is_form = isinstance(annotation, type) and issubclass(annotation, Form)
    if is_form or isinstance(annotation, FieldReader | ListRule):
        yield annotation
        return
    for inner_parts in annotation if isinstance(annotation, tuple) else get_args(annotation):
        yield from _parts(inner_parts)


def _forms(annotation: Any) -> Iterator[type[Form]]:
    """Yield the forms in an annotation: of a list's items, a mapping's values, an option."""
    if isinstance(annotation, type) and issubclass(annotation, Form):
        yield annotation
        return
    inner_forms = annotation if isinstance(annotation, tuple) else get_args(annotation)
    for form in inner_forms:
        yield from _forms(form)
