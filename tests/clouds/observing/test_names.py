"""Names that fit a pattern of `*` and `?`, by the one matcher of them."""

import re
from pathlib import Path
from time import perf_counter

import pytest

import gpuinfra
from gpuinfra.clouds.observing.names import fits


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
    assert fits(pattern, name) is fit
    assert fits(pattern.upper(), name, ignore_case=True) is (fit or pattern == "A")


def test_a_pattern_of_many_stars_takes_no_time():
    start = perf_counter()
    assert not fits("*" * 5_000 + "?*" * 500 + "b", "a" * 2_000)
    assert perf_counter() - start < 1


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
    assert written_in == {"clouds/observing/names.py"}
