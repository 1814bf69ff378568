import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra.clouds.versions import is_at_least, is_of_line, major, minor_line

numbers = st.lists(st.integers(0, 999), min_size=1, max_size=4)


def written(parts: list[int]) -> str:
    return ".".join(map(str, parts))


@pytest.mark.parametrize(
    ("version", "least", "told"),
    [
        ("12.10", "12.9", True),
        ("12.9", "12.10", False),
        ("570.211.01", "570", True),
        ("570", "570.0", True),
        ("570.0", "570", True),
        ("2.26.2-1", "2.26.2", True),
        ("580.65.06", "580.65.6", True),
        ("9.9", "10", False),
    ],
)
def test_versions_count_by_number(version: str, least: str, told: bool) -> None:
    assert is_at_least(version, least) is told


@pytest.mark.parametrize(
    ("version", "line", "told"),
    [
        ("2.7.1", "2.7", True),
        ("2.7", "2.7.0", True),
        ("2.70", "2.7", False),
        ("2.1", "2.10", False),
        ("2.10", "2.1", False),
        ("13.2", "13.0", False),
        ("13.0", "13", True),
    ],
)
def test_a_line_is_not_its_first_letters(version: str, line: str, told: bool) -> None:
    assert is_of_line(version, line) is told


def test_parts_of_a_version() -> None:
    assert (major("12.8"), minor_line("12.8.1"), minor_line("13")) == ("12", "12.8", "13.0")


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="'none' is not a version"):
        is_at_least("none", "1")


@given(numbers, numbers)
def test_of_two_versions_one_is_the_newer_or_they_are_one(
    first: list[int], two: list[int]
) -> None:
    forth, back = (
        is_at_least(written(first), written(two)),
        is_at_least(written(two), written(first)),
    )
    longest = max(len(first), len(two))
    same = first + [0] * (longest - len(first)) == two + [0] * (longest - len(two))

    assert forth or back
    assert (forth and back) is same


@given(numbers, st.integers(0, 999))
def test_a_longer_version_belongs_to_the_line_that_it_begins_with(
    parts: list[int], more: int
) -> None:
    longer = written([*parts, more])

    assert is_of_line(longer, written(parts))
    assert is_at_least(longer, written(parts))
