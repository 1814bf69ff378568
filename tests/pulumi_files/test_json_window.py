"""JSON in pieces: the same values as at once, and every fault with its place."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.errors import InputError
from gpuinfra.pulumi_files import json_window as module
from gpuinfra.pulumi_files.json_window import JsonWindow

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class Slow(io.StringIO):
    """A stream that hands out a few characters at a time, however many are wanted."""

    def __init__(self, text, size):
        super().__init__(text)
        self.size = size

    def read(self, size=-1):
        return super().read(self.size)


def fault(text, read):
    window = JsonWindow(io.StringIO(text), "f.json")
    with pytest.raises(InputError) as caught:
        read(window)
    return caught.value.problems[0]


@pytest.mark.slow
@given(st.lists(JSON, max_size=5), st.integers(1, 9))
def test_pieces_of_any_size_hold_the_same(values, size):
    for indent in (None, 1):
        window = JsonWindow(Slow(json.dumps(values, indent=indent), size), "f")
        assert [window.value() for _ in window.items()] == json.loads(json.dumps(values))
        assert window.peek() == ""


@pytest.mark.slow
@given(st.dictionaries(st.text(), JSON, max_size=4), st.integers(1, 9))
def test_members_one_by_one(values, size):
    window = JsonWindow(Slow(json.dumps(values), size), "f")
    assert {key: window.value() for key in window.members()} == json.loads(json.dumps(values))


WHOLE = json.dumps({"steps": [{"op": "create", "n": 12345, "t": "a\u00e9b"}, {"x": [1, 2.5]}]})


@pytest.mark.parametrize("end", range(1, len(WHOLE)))
def test_a_file_that_is_cut_off_is_refused_wherever_it_is(end):
    def read(window):
        for _ in window.members():
            for _ in window.items():
                window.value()

    refused = fault(WHOLE[:end], read)
    assert refused.message == "the file ends too early"
    assert (refused.position.line, refused.position.column) <= (1, end + 1)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("[1,\n  2,\n  nope]" + " " * 40, 3, 3),
        ('[1,\n {"a" 2}]' + " " * 40, 2, 7),
        ("[1\n 2]", 2, 2),
        ("[NaN]", 1, 2),
        ("{}", 1, 1),
        ("[1e999, nope]" + " " * 40, 1, 9),
    ],
)
def test_a_fault_has_its_place(text, line, column):
    refused = fault(text, lambda window: [window.value() for _ in window.items()])
    assert (refused.position.line, refused.position.column) == (line, column)


def test_places_are_counted_over_pieces():
    text = "[\n" + ",\n".join(["1"] * 500) + ",\n  nope" + " " * 40
    window = JsonWindow(Slow(text, 64), "f")
    with pytest.raises(InputError) as caught:
        all(window.value() for _ in window.items())
    place = caught.value.problems[0].position
    assert (place.line, place.column) == (502, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "'a' appears twice in one mapping"),
        ("{1: 2}", "a key is not text"),
        ('{"a" 1}', "invalid JSON: expected a colon"),
        ("[]", "expected a mapping"),
        ('{"a": ' + "[" * 100_000, "values are nested too deep"),
        ('{"a": ' + "9" * 10_000 + "}", "a number has thousands of digits"),
        ('{"a": NaN}', "invalid JSON: NaN is not a number"),
        ('{"a": [{"b": 1, "c": 2, "b": 1}]}', "'b' appears twice in one mapping"),
    ],
)
def test_a_mapping_that_is_broken(text, message):
    refused = fault(text, lambda window: [window.value() for _ in window.members()])
    assert refused.message.startswith(message)


def test_only_a_part_is_held(monkeypatch):
    monkeypatch.setattr(module, "PIECE", 1000)
    window = JsonWindow(io.StringIO(json.dumps([{"n": "x" * 100}] * 5000)), "f")
    longest = 0
    for _ in window.items():
        window.value()
        longest = max(longest, len(window._text))
    assert longest <= 2200


def test_one_value_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(module, "PIECE", 1000)
    monkeypatch.setattr(module, "MAX_VALUE_LENGTH", 5000)
    refused = fault('["' + "x" * 50_000, lambda window: [window.value() for _ in window.items()])
    assert refused.message == "one value is longer than 5,000 characters"
