import re

import pytest

from gpuinfra.clouds.azure.declare import rights
from gpuinfra.clouds.azure.tables import TABLES

PREFIXES = ["tokens/", "more/tokens/"]


def test_the_whole_container_needs_no_condition() -> None:
    assert rights.only_below(["tokens/", ""], writable=True) is None


def test_the_roles_are_those_of_azures_own_list() -> None:
    listed = {row["id"]: row["role"] for row in TABLES.rows("roles")}

    assert [
        listed[role]
        for role in (
            rights.BLOB_READER,
            rights.BLOB_WRITER,
            rights.METRICS_PUBLISHER,
            rights.READER,
        )
    ] == [
        "Storage Blob Data Reader",
        "Storage Blob Data Contributor",
        "Monitoring Metrics Publisher",
        "Reader",
    ]


def test_a_reader_reads_below_and_lists_the_folder_and_what_is_in_it() -> None:
    condition = rights.only_below(PREFIXES, writable=False)

    assert condition is not None
    assert re.findall(r"blobs:path\] StringStartsWith '([^']*)'", condition) == PREFIXES
    assert re.findall(r"blobs:prefix\] StringStartsWith '([^']*)'", condition) == PREFIXES
    assert re.findall(r"blobs:prefix\] StringEquals '([^']*)'", condition) == [
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
