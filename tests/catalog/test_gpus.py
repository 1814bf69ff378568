from collections import Counter

import pytest

from gpuinfra.catalog import gpu, gpus, matching
from gpuinfra.catalog.gpus import gpu_names


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
    assert [word for word in gpu_names() if not matching(word)] == []


def test_keys_are_there_once_and_dated() -> None:
    counts = Counter(row.key for row in gpus())

    assert [key for key, count in counts.items() if count > 1] == []
    assert all(row.source and row.as_of and row.memory_gb for row in gpus())
    assert gpu("H100-SXM-80GB").memory_gb == 80
    assert gpu("H900") is None


def test_rates_of_a_data_center_gpu() -> None:
    h100 = gpu("H100-SXM-80GB")

    assert (h100.architecture, h100.watts, h100.bandwidth_gbs) == ("Hopper", 700, 3350)
    assert (h100.fp32_tflops, h100.fp16_tflops, h100.bf16_tflops) == (67, 989, 989)
    assert (h100.fp8_tflops, h100.nvlink_gbs, h100.unverified) == (1979, 900, ())


def test_unverified_names_cells_of_the_row_that_are_known() -> None:
    for row in gpus():
        assert [name for name in row.unverified if getattr(row, name) is None] == [], row.key
    assert gpu("A10G").unverified == ("fp16_tflops", "bf16_tflops")


def test_every_rate_is_positive() -> None:
    rates = ("memory_gb", "bandwidth_gbs", "watts", "nvlink_gbs")
    tensor = ("fp32_tflops", "fp16_tflops", "bf16_tflops", "fp8_tflops")
    for row in gpus():
        assert all(getattr(row, name) is None or getattr(row, name) > 0 for name in rates + tensor)
        assert row.architecture, row.key
