"""The fix of one finding tried on others of its rule: workloads alike mostly need the same."""

from collections.abc import Mapping, Sequence

from gpuinfra.fixes.acceptance import Accept
from gpuinfra.fixes.fix import FindingKey, Path
from gpuinfra.fixes.options import Dimension, EditOption
from gpuinfra.fixes.search import Search
from gpuinfra.fixes.search_result import SearchResult

Shape = tuple[tuple[Path, str], ...]
"""The edits of an option by their paths within a workload, and their new values."""


def as_before(
    search: Search, key: FindingKey, accept: Accept, results: Mapping[FindingKey, SearchResult]
) -> SearchResult | None:
    """Return the changes that settled the last finding of the same rule, on this one's subject.

    That takes one trial. None where no such finding was settled, or these are not accepted.
    """
    before = [other for other in results if other[0] == key[0]]
    own = subject_of(search.dimensions, key)
    theirs = subject_of(search.dimensions, before[-1]) if before else ""
    if not own or not theirs:
        return None
    options = {
        _shape(option, own): option
        for dimension in search.dimensions
        if dimension.subject == own
        for option in dimension.options
    }
    shapes = [_shape(option, theirs) for option in results[before[-1]].options]
    if any(shape not in options for shape in shapes):
        return None
    return search.accepted_together(tuple(options[shape] for shape in shapes), accept)


def subject_of(dimensions: Sequence[Dimension], key: FindingKey) -> str:
    """Return the workload or bucket that a finding is about; empty for one of the stack."""
    subjects = (dimension.subject for dimension in dimensions if dimension.subject)
    return next((each for each in subjects if f"{key[1]}.".startswith(f"{each}.")), "")


def _shape(option: EditOption, subject: str) -> Shape:
    parts = tuple(subject.split("."))
    return tuple(
        (
            edit.path[len(parts) :] if edit.path[: len(parts)] == parts else edit.path,
            repr(edit.after),
        )
        for edit in option.edits
    )
