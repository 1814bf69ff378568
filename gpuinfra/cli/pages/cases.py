"""The examples of each key of the stack file: one that works, and values that are refused."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from gpuinfra.errors import InputError, Problem
from gpuinfra.planning import from_stack
from gpuinfra.records import record
from gpuinfra.specs import Stack
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.yaml_composer import compose

_TABLE: Final = Path(__file__).with_name("aws_keys.yaml")


@record
class KeyCase:
    """The example of one key of a section.

    Attributes:
        path: of the word, as `grammar.words` has it.
        word: the path as the section writes it.
        base: the stack that it is added to, by name.
        parent_path: the mapping that contains it.
        write: how it is written.
        against: the stack without it; None where nothing can.
        refused: a refused value.
        says: its effect outside of resources.
    """

    path: str
    word: str
    base: str
    parent_path: tuple[str, ...]
    write: str
    against: str | None = ""
    refused: tuple[str, ...] = ()
    says: str = ""


@record
class Section:
    """A group of keys with a common parent."""

    title: str
    parent_path: tuple[str, ...]
    cases: tuple[KeyCase, ...]
    note: str = ""


@cache
def sections() -> tuple[Section, ...]:
    """Return all sections in the order of the page."""
    return tuple(_section(row) for row in _table()["sections"])


@cache
def omitted_keys() -> Mapping[str, str]:
    """Return the keys that the page omits, with the reason or the place that explains them."""
    return dict(_table()["elsewhere"])


def stack_of(base: str, parent_path: tuple[str, ...], yaml_text: str) -> Stack:
    """Return a named base stack with keys added to one of its mappings.

    Raises:
        InputError: the grammar refuses it.
    """
    base_stack = _table()["bases"][base]
    if yaml_text:
        base_stack = _with_added_keys(
            base_stack, parent_path, compose(f"{{{yaml_text}}}", ".".join(parent_path)).value
        )
    return loads(json.dumps(base_stack, default=float)).stack


def refusals(case: KeyCase) -> Iterator[tuple[str, tuple[Problem, ...]]]:
    """Yield the problems of each value that should be refused; empty if it is accepted."""
    for yaml_text in case.refused:
        try:
            from_stack(stack_of(case.base, case.parent_path, yaml_text))
        except InputError as error:
            yield yaml_text, error.problems
        else:
            yield yaml_text, ()


def _section(row: Mapping[str, Any]) -> Section:
    """Return a section of the table; a case's own base overrides the section's."""
    parent_path = tuple(row["at"])
    parent_key = row["of"]
    cases = []
    for key_word, case_row in row["words"].items():
        case_values = {"base": row["base"], **case_row}
        case_values["refused"] = tuple(case_values.get("refused", ()))
        path = key_word if key_word == parent_key else f"{parent_key}.{key_word}"
        cases.append(KeyCase(path=path, word=key_word, parent_path=parent_path, **case_values))
    return Section(
        title=row["title"], parent_path=parent_path, cases=tuple(cases), note=row.get("note", "")
    )


def _with_added_keys(
    stack: Mapping[str, Any], parent_path: tuple[str, ...], added: Mapping[str, Any]
) -> Any:
    """Return a stack with keys of one of its mappings added or replaced."""
    if not parent_path:
        return {**stack, **added}
    return {
        **stack,
        parent_path[0]: _with_added_keys(stack.get(parent_path[0], {}), parent_path[1:], added),
    }


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = YAML(typ="safe").load(_TABLE)
    return table
