"""`explain` has an example for each key with several forms, and a stack file takes it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from gpuinfra.cli.pages.grammar import key_descriptions
from gpuinfra.cli.pages.key_examples import examples
from gpuinfra.cli.pages.keys import keys_of
from gpuinfra.specs import values
from gpuinfra.specs.fields import FieldReader
from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Stack
from gpuinfra.stackfile.yaml_composer import compose

NAMES = {"training": "lora", "inference": "chat", "buckets": "runs", "rules": "spot-share"}
"""Names in the sections of a file, below which its keys stand."""


def place(path: str) -> tuple[str | int, ...]:
    """Return a path of a key as one of a file: with the name of a workload, and of a step."""
    section, *inner = path.split(".")
    if inner[:1] == ["capacity"] and inner[1:] and section == "training":
        inner = ["capacity", 0, *inner[1:]]  # type: ignore[list-item]
    name = [NAMES[section]] if inner and section in NAMES else []
    return (section, *name, *inner)


def refused(path: str, line: str) -> list[Any]:
    """Return the faults that a stack file has at a key, or below it, written as in a line."""
    at = place(path)
    value: Any = compose(line, "example").value[at[-1]]
    for part in reversed(at):
        value = [value] if isinstance(part, int) else {part: value}
    try:
        Stack.model_validate({"version": 1, "name": "demo", "owner": "ml", **value})
    except ValidationError as error:
        # A step names its way to buy by a key of the file and a field of the form.
        holder = at[: at.index(0) + 1] if 0 in at else at
        return [it for it in error.errors() if it["loc"][: len(holder)] == holder]
    return []


EXAMPLES = [(path, line) for path in key_descriptions() for line in examples(path)]


@pytest.mark.parametrize(("path", "line"), EXAMPLES)
def test_an_example_of_a_key_is_accepted(path: str, line: str) -> None:
    assert refused(path, line) == []


@pytest.mark.parametrize("path", key_descriptions())
def test_a_key_with_several_forms_a_list_or_a_mapping_has_an_example(path: str) -> None:
    (key,) = (key for key in keys_of(path) if key.key == path)

    assert key.allowed
    assert key.examples or not re.search(r"\ba (mapping|list)\b", key.allowed), key.allowed


READERS = [
    (name, part)
    for name, hint in vars(values).items()
    for part in getattr(hint, "__metadata__", ())
    if isinstance(part, FieldReader) and "for example" in part.allowed
]


def shown(allowed: str) -> Iterator[str]:
    """Yield the examples in what a message says is allowed."""
    words = re.sub(r"\([^)]*\)", "", allowed.rpartition("for example ")[2])
    yield from (word.strip().strip('"') for word in re.split(r", or [a-z ]+: |, | or ", words))


@pytest.mark.parametrize(("name", "reader"), READERS, ids=[name for name, _ in READERS])
def test_the_examples_of_what_is_allowed_are_accepted(name: str, reader: FieldReader) -> None:
    for example in shown(reader.allowed.partition(", in ")[0]):
        reader.read(example)


def subclasses(form: type[Form]) -> Iterator[type[Form]]:
    for inner in form.__subclasses__():
        yield inner
        yield from subclasses(inner)


def test_each_form_with_a_short_form_says_it_in_words_or_in_its_schema() -> None:
    short = {form for form in subclasses(Form) if "spelled_out" in vars(form)}

    assert {form.__name__ for form in short if not form.short} == {"PoolCapacity"}
