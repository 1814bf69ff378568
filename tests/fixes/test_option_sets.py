"""Sets of dimensions come as if all were made and sorted, and only those that are asked for."""

from itertools import combinations, islice
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.fixes import option_sets
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.option_sets import OptionGroup, promising_sets
from gpuinfra.fixes.options import Dimension, EditOption
from gpuinfra.fixes.search import Search
from gpuinfra.fixes.trials import Trials

NOTHING = EditOption(edits=())

PARTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 10), st.booleans()), max_size=8
)


def part(number, promise=0, place=None, many=1, *, ordered=False):
    """A part that is told from others by its name."""
    return OptionGroup(
        distance=promise,
        dimension_index=number if place is None else place,
        dimension=Dimension(
            name=str(number), subject="", options=(NOTHING,) * many, is_ordered=ordered
        ),
    )


def every(parts, size):
    """All sets of one size, made and sorted."""
    apart = (
        each
        for each in combinations(parts, size)
        if len({option.dimension_index for option in each}) == size
    )
    ranked = sorted(
        apart,
        key=lambda each: (
            sum(option.distance for option in each),
            prod(option.width for option in each),
        ),
    )
    return [tuple(option.dimension for option in each) for each in ranked]


@given(PARTS, st.integers(1, 4))
def test_sets_come_in_the_order_in_which_all_would_be_sorted(drawn, size):
    parts = [
        part(number, promise, place, many, ordered=ordered)
        for number, (promise, place, many, ordered) in enumerate(drawn)
    ]

    assert list(promising_sets(parts, size)) == every(parts, size)


def test_of_millions_of_sets_only_some_are_made(monkeypatch):
    made = []
    key = option_sets._key
    monkeypatch.setattr(option_sets, "_key", lambda *given: made.append(given) or key(*given))
    parts = [part(number, number % 4, many=1 + number % 7) for number in range(300)]

    sets = list(islice(promising_sets(parts, 3), 600))

    assert len(sets) == 600
    assert len(made) <= 3 * 600


def test_nothing_is_changed_together_once_the_trials_are_spent(monkeypatch):
    def none(*_):
        pytest.fail("sets were made")

    monkeypatch.setattr("gpuinfra.fixes.search.promising_sets", none)
    edits = [Edit(path=(name,), before=None, after=1) for name in "abc"]
    dimensions = [
        Dimension(name="", subject="", options=(EditOption(edits=(edit,)),)) for edit in edits
    ]
    trials = Trials(none, 0)

    assert Search(dimensions, trials, {}).smallest(lambda _: True, 3, 2) is None
    assert trials.stopped
