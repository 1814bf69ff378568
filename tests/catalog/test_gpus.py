from collections import Counter

import pytest

from gpuinfra.catalog import gpu, gpus, matching
from gpuinfra.catalog.gpus import words


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("H100-SXM-80GB", {"H100-SXM-80GB"}),
        ("h100", {"H100-SXM-80GB", "H100-PCIe-80GB", "H100-NVL-94GB"}),
        ("H100-80GB", {"H100-SXM-80GB"}),
        ("nvidia h100 sxm", {"H100-SXM-80GB"}),
        ("A100", {"A100-SXM-40GB", "A100-SXM-80GB", "A100-PCIe-40GB", "A100-PCIe-80GB"}),
        ("A100-80GB", {"A100-SXM-80GB"}),
        ("A10", {"A10"}),
        ("A10G", {"A10G"}),
        ("L4", {"L4"}),
        ("L40S", {"L40S"}),
        ("T4", {"T4"}),
        ("Trainium2", {"TRAINIUM2"}),
        ("H10", set()),
        ("", set()),
        ("nvidia ", set()),
    ],
)
def test_a_word_means_a_key_a_family_or_a_spelling(word: str, keys: set[str]) -> None:
    assert set(matching(word)) == keys


def test_every_word_that_is_offered_as_a_suggestion_is_known() -> None:
    assert [word for word in words() if not matching(word)] == []


def test_keys_are_there_once_and_dated() -> None:
    counts = Counter(one.key for one in gpus())

    assert [key for key, count in counts.items() if count > 1] == []
    assert all(one.source and one.as_of and one.memory_gb for one in gpus())
    assert gpu("H100-SXM-80GB").memory_gb == 80
    assert gpu("H900") is None
