import re

import pytest

from gpuinfra.clouds.azure.build import rights

PREFIXES = ["tokens/", "more/tokens/"]


def test_the_whole_container_needs_no_condition() -> None:
    assert rights.only_below(["tokens/", ""], writable=True) is None


def test_a_reader_reads_below_and_lists_from_the_folder_itself() -> None:
    condition = rights.only_below(PREFIXES, writable=False)

    assert condition is not None
    assert re.findall(r"blobs:path\] StringStartsWith '([^']*)'", condition) == PREFIXES
    assert re.findall(r"blobs:prefix\] StringStartsWith '([^']*)'", condition) == [
        "tokens",
        "more/tokens",
    ]
    assert "blobs/write" not in condition


@pytest.mark.parametrize("action", ["read", "write", "add/action", "move/action", "delete"])
def test_a_writer_is_kept_below_in_every_action(action: str) -> None:
    condition = rights.only_below(PREFIXES, writable=True)

    assert condition is not None
    assert f"blobs/{action}'}}" in condition
    assert condition.count("(") == condition.count(")")


def test_a_prefix_said_twice_stands_once() -> None:
    assert rights.only_below(["a/", "a/"], writable=True) == rights.only_below(
        ["a/"], writable=True
    )
