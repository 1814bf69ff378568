"""Every key of a stack file by its path, with its description from the schema."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, get_args

from gpuinfra.specs import values
from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Inference, Stack, Step, Workload

_SHARED: Final = frozenset(Workload.model_fields)
"""Words of a pool that stand under `training` already."""


@cache
def key_descriptions() -> Mapping[str, str]:
    """Return each key's description by path (`training.disk.iops`), in the file's order.

    A form that stands in several places is walked where it stands first; of a capacity step the
    ways to buy are words too.
    """
    return dict(_walk(Stack, "", set()))


def _walk(form: type[Form], above: str, met: set[type[Form]]) -> Iterator[tuple[str, str]]:
    met.add(form)
    if form is Step:
        yield from ((f"{above}{kind}", "") for kind in get_args(get_args(values.Kind)[0]))
    for name, field in form.model_fields.items():
        if name in form.unwritten or (form is Inference and name in _SHARED):
            continue
        path = f"{above}{name}"
        yield path, field.description or ""
        for inner in _forms((field.annotation, *field.metadata)):
            if inner not in met:
                yield from _walk(inner, f"{path}.", met)


def _forms(annotation: Any) -> Iterator[type[Form]]:
    """Yield the forms in an annotation: of a list's items, a mapping's values, an option."""
    if isinstance(annotation, type) and issubclass(annotation, Form):
        yield annotation
        return
    inner = annotation if isinstance(annotation, tuple) else get_args(annotation)
    for form in inner:
        yield from _forms(form)
