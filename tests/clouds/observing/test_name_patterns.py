"""Names that fit a pattern of `*` and `?`, by the one matcher of them."""

import re
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuinfra
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.observing.name_patterns import NamePattern, faults, matches_pattern
from gpuinfra.clouds.tables import rows_of


@pytest.mark.parametrize(
    ("pattern", "name", "fit"),
    [
        ("*", "", True),
        ("a*c", "abbc", True),
        ("a*c", "abbcd", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("a*", "a\nb", True),
        ("a?b", "a\nb", True),
        ("a[bc]", "ab", False),
        ("a[bc]", "a[bc]", True),
        ("a.c", "abc", False),
        ("?*", "", False),
        ("*?", "a", True),
        ("*?*?*", "ab", True),
        ("*?*?*", "a", False),
        ("A", "a", False),
    ],
)
def test_a_star_is_any_text_and_a_mark_any_character(pattern, name, fit):
    assert matches_pattern(pattern, name) is fit
    assert matches_pattern(pattern.upper(), name, ignore_case=True) is (fit or pattern == "A")


def test_a_pattern_of_many_stars_takes_no_time():
    start = perf_counter()
    assert not matches_pattern("*" * 5_000 + "?*" * 500 + "b", "a" * 2_000)
    assert not matches_pattern("*a" * 30 + "*b", "a" * 2_000)
    assert perf_counter() - start < 1


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_it_fits_what_trying_every_split_fits(pattern: str, name: str) -> None:
    def tried(pattern: str, name: str) -> bool:
        if not pattern:
            return not name
        if pattern[0] == "*":
            return any(tried(pattern[1:], name[at:]) for at in range(len(name) + 1))
        return bool(name) and pattern[0] in {"?", name[0]} and tried(pattern[1:], name[1:])

    assert matches_pattern(pattern, name) is tried(pattern, name)


def test_no_other_matcher_is_written_beside_it():
    root = Path(gpuinfra.__file__).parent
    written = re.compile(r"re\.escape\(\w+\)(?:\)| for \w+ in)|re\.escape\(\w+\)\.replace")
    written_in = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if any(
            written.search(line) and ("?" in line or ".*" in line)
            for line in path.read_text().splitlines()
        )
    }
    assert written_in == {"clouds/observing/name_patterns.py"}


def test_a_name_made_of_another_resources_output_is_not_known_yet():
    small = NamePattern("the name", re.compile("[a-z]+"), "small letters")

    assert faults(((small, "${trainer.account}_peers"), (small, "a"))) == ()
    assert faults(((small, "A"),)) == ("the name 'A': allowed are small letters",)


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_table_of_names_has_each_input_once_of_types_by_their_present_token(cloud):
    provider = provider_of(cloud)
    named = [(row["type"], row["input"]) for row in rows_of(provider.tables.table("names"))]

    assert len(named) == len({*named})
    assert [kind for kind, _ in named if provider.observe.canonical(kind) != kind] == []
