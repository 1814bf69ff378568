"""When a fresh value means the same as the known one, and when it must be shown."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.sandbox.aws.spelling import is_same_value, with_known_spelling

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("fresh", "known"),
    [
        (True, "true"),
        (80.0, 80),
        ("100.0", 100),
        (["b", "a"], ["a", "b"]),
        ('{"a":1, "b":[2]}', '{"b": [2], "a": 1}'),
        ({"Statement": []}, '{"Statement": []}'),
        (None, []),
        ("", None),
        ({"prefix": None}, {}),
    ],
)
def test_the_known_spelling_stays(fresh, known):
    assert is_same_value(fresh, known)
    assert with_known_spelling(fresh, known) == (fresh if known is None else known)


@pytest.mark.parametrize(
    ("fresh", "known"),
    [
        (False, "true"),
        (81, 80),
        ("1.30", "1.3"),
        (["a", "a", "b"], ["a", "b", "b"]),
        ('{"a": 1}', '{"a": 2}'),
        ({"a": "x"}, {"a": "x", "b": "y"}),
        ([{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}]),
        (None, {"a": 1}),
    ],
)
def test_what_differs_is_shown(fresh, known):
    assert not is_same_value(fresh, known)
    assert with_known_spelling(fresh, known) == fresh


def test_only_the_part_that_differs_takes_the_clouds_spelling():
    fresh = {"policy": '{"a":1}', "size": 9}
    known = {"policy": '{ "a": 1 }', "size": "8"}

    assert with_known_spelling(fresh, known) == {"policy": '{ "a": 1 }', "size": 9}


@settings(deadline=None)
@given(values)
def test_a_value_is_the_same_as_itself_and_as_its_json(value: Any):
    assert is_same_value(value, value)
    if isinstance(value, dict | list) and not is_same_value(value, None):
        assert is_same_value(json.dumps(value), value)


@settings(deadline=None)
@given(values, values)
def test_sameness_has_no_direction(left: Any, other: Any):
    assert is_same_value(left, other) == is_same_value(other, left)
