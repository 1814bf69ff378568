"""A shipped table that is not what was shipped is an error with the way out."""

import json
from pathlib import Path

import pytest

from gpuinfra.clouds import digests, tables
from gpuinfra.clouds.tables import Tables


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one table, whose list of digests is right."""
    table = tmp_path / "clouds" / "moon" / "data" / "prices.json"
    table.parent.mkdir(parents=True)
    table.write_text('{"modes": ["on-demand"]}')
    monkeypatch.setattr(digests, "PACKAGE", tmp_path)
    monkeypatch.setattr(digests, "DIGESTS_FILE", tmp_path / "digests.json")
    digests.DIGESTS_FILE.write_text(json.dumps(digests.current()))
    digests.shipped_digests.cache_clear()
    yield table.parent
    digests.shipped_digests.cache_clear()


def test_the_list_is_what_the_tables_are() -> None:
    assert digests.shipped_digests() == digests.current(), "a table was changed: make digests"


def test_every_room_has_its_tables_in_the_list() -> None:
    assert {"clouds/aws/data/prices.json", "catalog/gpus.json"} <= digests.shipped_digests().keys()


def test_a_table_that_is_what_was_shipped_is_read(package: Path) -> None:
    assert Tables(package).table("prices") == {"modes": ["on-demand"]}


@pytest.mark.parametrize("content", ['{"modes": ["on-demamd"]}', '{"modes": ["on-dem', ""])
def test_a_damaged_table_is_an_error_with_the_way_out(package: Path, content: str) -> None:
    (package / "prices.json").write_text(content)

    with pytest.raises(
        digests.DamagedTableError, match=r"prices\.json is damaged .*reinstall gpuinfra"
    ):
        Tables(package).table("prices")


def test_a_table_that_is_gone_is_an_error_with_the_way_out(package: Path) -> None:
    (package / "prices.json").unlink()

    with pytest.raises(
        digests.DamagedTableError, match=r"can't be read \(No such file.*reinstall"
    ):
        Tables(package).table("prices")


def test_a_damaged_list_is_an_error_with_the_way_out(package: Path) -> None:
    digests.DIGESTS_FILE.write_text("{")
    digests.shipped_digests.cache_clear()

    with pytest.raises(digests.DamagedTableError, match=r"digests\.json can't be read: reinstall"):
        Tables(package).table("prices")


def test_tables_from_elsewhere_have_no_digest(tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text("{}")

    assert Tables(tmp_path).table("prices") == {}


def test_the_digest_over_all_changes_with_a_table(package: Path) -> None:
    before = tables.digest()
    (package / "prices.json").write_text("{}")
    digests.DIGESTS_FILE.write_text(json.dumps(digests.current()))
    digests.shipped_digests.cache_clear()

    assert tables.digest() != before
