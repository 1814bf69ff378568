import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.similar_words import nearest

REGIONS = ("eu-west-1", "us-west-1", "us-east-1", "us-east-2", "us-west-2")


@pytest.mark.parametrize(
    ("wrong", "accepted", "meant"),
    [
        ("us-esat-1", REGIONS, "us-east-1"),
        ("us-wset-2", REGIONS, "us-west-2"),
        ("US-EAST-1", REGIONS, "us-east-1"),
        ("mars", REGIONS, ""),
        ("mars", ("paris", "madrid"), ""),
        ("antarctica", ("qatarcentral",), ""),
        ("pariss", ("paris", "madrid"), "paris"),
        ("per-huor", ("per_hour", "per_month"), "per_hour"),
        ("L5", ("A10G", "L40S", "L4"), "L4"),
        ("H10O", ("H100-SXM", "H100"), "H100"),
        ("p5", ("P4", "p5e.48xlarge", "p5.48xlarge", "p5.4xlarge"), "p5.48xlarge"),
        ("p6.48xlarge", ("p5.48xlarge", "p6-b200.48xlarge"), "p6-b200.48xlarge"),
        ("g6.xlrge", ("g5.xlarge", "g6.xlarge"), "g6.xlarge"),
        ("image", ("image_pinned", "images"), "images"),
        ("budget", ("cloud-budget", "budgets"), "budgets"),
        ("a", ("b",), ""),
        ("", ("a",), ""),
        ("a", (), ""),
        ("spot", ("spot",), ""),
    ],
)
def test_the_nearest_word(wrong: str, accepted: tuple[str, ...], meant: str) -> None:
    assert nearest(wrong, accepted) == meant


@given(st.sampled_from(REGIONS), st.integers(0, 7))
def test_two_swapped_letters_are_one_slip(region: str, at: int) -> None:
    wrong = region[:at] + region[at + 1] + region[at] + region[at + 2 :]

    assert nearest(wrong, REGIONS) == (region if wrong != region else "")
