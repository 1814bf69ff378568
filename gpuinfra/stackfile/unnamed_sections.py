"""Sections of a stack file whose entry has no name: `training: {gpu: L4:1}`."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpuinfra.errors import Problem
from gpuinfra.specs.schema import SECTIONS
from gpuinfra.stackfile.files import with_position
from gpuinfra.stackfile.grammar import form_at, keys_of
from gpuinfra.stackfile.yaml_composer import ComposedDocument

_NAME: Final = "NAME"


def merge_unnamed_sections(
    problems: Sequence[Problem], read: ComposedDocument
) -> tuple[Problem, ...]:
    """Return problems with one in place of all in a section whose entry has no name."""
    causes = tuple(
        with_position(problem, read.spans) for problem in _unnamed_section_problems(read.value)
    )
    sections = {problem.path[:1] for problem in causes}
    return (*causes, *(problem for problem in problems if problem.path[:1] not in sections))


def _unnamed_section_problems(value: Any) -> Iterator[Problem]:
    """Yield a problem for each section that has the keys of one entry in the place of names."""
    for section in SECTIONS if isinstance(value, dict) else ():
        entries = value.get(section)
        if isinstance(entries, dict) and _is_an_entry(section, entries):
            from gpuinfra.stackfile.key_suggestions import flow  # noqa: PLC0415  (only of this mistake)

            yield Problem(
                message=f"{section} has no name above the keys of its entry",
                path=(section,),
                fix=f"put a name of your choice there: {section}: {flow({_NAME: entries})}",
                structural=True,
            )


def _is_an_entry(section: str, entries: dict[Any, Any]) -> bool:
    """Return whether all names are keys of an entry, and at least one has what no entry is."""
    if all(isinstance(entry, dict) for entry in entries.values()):
        return False
    form = form_at((section, _NAME))
    return form is not None and set(entries) <= set(keys_of(form))
