from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gpuinfra.errors import SandboxError
from gpuinfra.sandbox.ledger import AlreadyExistsError, Ledger, Record

GROUP = "aws:ec2/placementGroup:PlacementGroup"


def record(name: str, **given: object) -> Record:
    values = {
        "type": GROUP,
        "id": name,
        "urn": f"urn:pulumi:dev::p::{GROUP}::{name}",
        "region": "us-east-1",
        "backend": "ledger",
        "unique_name": f"us-east-1|{name}",
        "properties": {"strategy": "cluster", "tags": {"a": "b"}},
    }
    return Record(**{**values, **given})


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.db")


def test_what_is_put_is_read_back(ledger: Ledger) -> None:
    ledger.put(record("one"))

    record_read = ledger.get(GROUP, "us-east-1", "one")

    assert record_read is not None
    assert (record_read.name, record_read.stack) == ("one", "dev")
    assert record_read.properties == {"strategy": "cluster", "tags": {"a": "b"}}
    assert record_read.created_at.endswith("+00:00")


def test_another_region_is_another_resource(ledger: Ledger) -> None:
    ledger.put(record("one"))

    assert ledger.get(GROUP, "us-west-2", "one") is None


def test_a_taken_name_is_refused(ledger: Ledger) -> None:
    ledger.put(record("one"))

    with pytest.raises(AlreadyExistsError):
        ledger.put(record("two", unique_name="us-east-1|one"))


def test_names_that_may_repeat_do(ledger: Ledger) -> None:
    ledger.put(record("one", unique_name=None))
    ledger.put(record("two", unique_name=None))

    assert len(ledger.records_of_type(GROUP)) == 2


def test_of_many_at_once_one_gets_the_name(tmp_path: Path) -> None:
    Ledger(tmp_path / "ledger.db")

    def put(number: int) -> bool:
        try:
            Ledger(tmp_path / "ledger.db").put(record(f"n{number}", unique_name="same"))
        except AlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(put, range(16)))

    assert won.count(True) == 1


def test_replace_keeps_the_day_it_was_made(ledger: Ledger) -> None:
    ledger.put(record("one", created_at="2026-01-01T00:00:00+00:00"))
    first = ledger.get(GROUP, "us-east-1", "one")
    assert first is not None
    ledger.replace(record("one", created_at=first.created_at, properties={"strategy": "spread"}))

    second = ledger.get(GROUP, "us-east-1", "one")

    assert second is not None
    assert (second.created_at, second.properties) == (first.created_at, {"strategy": "spread"})


def test_only_what_stood_in_another_server_is_lost(ledger: Ledger) -> None:
    ledger.put(record("kept", backend="moto", server="now"))
    ledger.put(record("lost", backend="moto", server="before"))
    ledger.put(
        record("other", backend="moto", server="before", urn="urn:pulumi:prod::p::t::other")
    )
    ledger.put(record("ledger"))

    assert [item.name for item in ledger.lost_records("now", "dev")] == ["lost"]
    assert {item.name for item in ledger.lost_records("now")} == {"lost", "other"}


def test_all_can_be_asked_for_one_stack(ledger: Ledger) -> None:
    ledger.put(record("one"))
    ledger.put(record("two", urn="urn:pulumi:prod::p::t::two"))

    assert [item.name for item in ledger.all("prod")] == ["two"]


def test_a_create_is_open_until_it_is_settled(ledger: Ledger) -> None:
    first, two = record("one", server="now"), record("two", urn=record("one").urn)
    ledger.put(first)
    ledger.begin(first.urn, "now")
    ledger.put(two)

    [create] = ledger.open_creates()

    assert (create.urn, create.server) == (first.urn, "now")
    assert [create.is_made_by_create(item) for item in ledger.records_of_urn(first.urn)] == [
        False,
        True,
    ]
    ledger.settle(first.urn)
    assert ledger.open_creates() == []


def test_a_create_is_open_again_where_the_engine_does_not_know_what_it_made(
    ledger: Ledger,
) -> None:
    made = record("made", server="now")
    ledger.put(made)

    ledger.reopen(made.urn, {"made"})
    assert ledger.open_creates() == []

    ledger.reopen(made.urn, {"other"})
    (create,) = ledger.open_creates()
    assert (create.server, create.is_made_by_create(made)) == ("now", True)


def test_what_mentions_an_id_is_found(ledger: Ledger) -> None:
    ledger.put(record("one"))
    ledger.put(record("two", properties={"groups": ["pg-1"]}))

    assert [item.name for item in ledger.mentioning("pg-1")] == ["two"]


def test_forgotten_is_gone_and_its_name_free(ledger: Ledger) -> None:
    ledger.put(record("one"))
    ledger.forget(GROUP, "us-east-1", "one")
    ledger.put(record("two", unique_name="us-east-1|one"))

    assert [item.name for item in ledger.all()] == ["two"]


def test_a_broken_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("no database", encoding="utf-8")

    with pytest.raises(SandboxError, match="gpuinfra sandbox reset"):
        Ledger(tmp_path / "ledger.db")


def test_a_file_that_is_kept_open_is_not_tidied_after_each_operation(tmp_path: Path) -> None:
    log = tmp_path / "ledger.db-wal"
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.begin("urn", "server")
    tidied = not log.exists()

    ledger.keep_open()
    ledger.begin("urn", "server")

    assert tidied
    assert log.stat().st_size
    assert [create.urn for create in Ledger(tmp_path / "ledger.db").open_creates()] == ["urn"]
