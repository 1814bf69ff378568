"""Merges equal messages about several names into one."""

import pytest

from gpuinfra.units.message_merging import list_in_words, texts_with_names


@pytest.mark.parametrize(
    ("names", "words"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_listed_as_in_a_sentence(names: list[str], words: str) -> None:
    assert list_in_words(names) == words


def test_a_text_is_said_once_of_all_of_whom_it_is_true() -> None:
    said = [("a", "it waits"), ("b", "it runs"), ("c", "it waits")]

    assert list(texts_with_names(said)) == ["each of a and c: it waits", "b: it runs"]
    assert list(texts_with_names([])) == []
