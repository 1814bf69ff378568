"""Each key of the stack file has a type of which a message says what is allowed."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel


def bare(hint: Any) -> Iterator[type]:
    """The plain types in an annotation, of which no message says what is allowed."""
    if get_origin(hint) is not Annotated:
        yield from (hint,) if hint in (bool, int, float, str) else ()
        yield from chain(*(bare(each) for each in get_args(hint)))


def forms(parent: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for form in parent.__subclasses__():
        yield form
        yield from forms(form)


def test_every_key_has_a_type_that_says_what_is_allowed() -> None:
    plain = [
        f"{form.__name__}.{key}"
        for form in forms(BaseModel)
        if form.__module__.startswith("gpuinfra.specs.schema")
        for key, hint in get_type_hints(form, include_extras=True).items()
        if key in form.model_fields and any(bare(hint))
    ]

    assert plain == [], "use a type of gpuinfra/specs/values.py"
