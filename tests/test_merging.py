"""Merges equal messages about several names into one."""

import pytest

from gpuinfra.units.message_merging import first_in_words, list_in_words, texts_with_names


@pytest.mark.parametrize(
    ("names", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_listed_as_in_a_sentence(names: list[str], words: str) -> None:
    assert list_in_words(names) == words


def test_a_text_is_said_once_of_all_of_whom_it_is_true() -> None:
    said = [("a", "it waits"), ("b", "it runs"), ("c", "it waits")]

    assert list(texts_with_names(said)) == ["each of a and c: it waits", "b: it runs"]
    assert list(texts_with_names([])) == []


@pytest.mark.parametrize(
    ("most", "options", "expected"),
    [
        (3, {}, "a, b, c"),
        (2, {}, "a, b and 1 more"),
        (1, {"others": "more types"}, "a and 2 more types"),
        (2, {"separator": " or "}, "a or b and 1 more"),
    ],
)
def test_the_first_names_and_how_many_more(
    most: int, options: dict[str, str], expected: str
) -> None:
    assert first_in_words(["a", "b", "c"], most, **options) == expected
