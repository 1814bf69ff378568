import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra import lock
from gpuinfra.cost import Line, Total
from gpuinfra.errors import InputError, Problem
from gpuinfra.lock import text
from gpuinfra.model import Price
from tests.lock.conftest import STACKS, made

FOLDERS = sorted(path.parent for path in STACKS.glob("*/stack.yaml"))


@pytest.fixture(scope="module")
def whole() -> lock.Lock:
    return made(STACKS / "quickstart")


def problem(written: str) -> Problem:
    with pytest.raises(InputError) as caught:
        text.read(written, "gpuinfra.lock")
    (only,) = caught.value.problems
    return only


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_lock_of_every_shipped_stack_reads_back_as_it_was(folder: Path) -> None:
    lock_of_it = made(folder)

    written = text.write(lock_of_it)

    assert text.read(written, "gpuinfra.lock") == lock_of_it
    assert text.write(text.read(written, "gpuinfra.lock")) == written


AMOUNTS = st.decimals("0.000000001", 10**9, allow_nan=False, allow_infinity=False, places=9)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), max_size=30)
PRICES = st.builds(
    Price,
    cloud=st.sampled_from(["aws", "gcp", "azure"]),
    item=WORDS,
    region=WORDS,
    zone=st.none() | WORDS,
    mode=st.sampled_from(["on-demand", "spot", "list", "spot-ceiling"]),
    unit=st.just("hour"),
    per_unit=AMOUNTS,
    currency=st.just("USD"),
    source=WORDS.filter(bool),
    as_of=WORDS,
    maximum=st.none() | AMOUNTS,
    tiers=st.lists(st.tuples(AMOUNTS, AMOUNTS), max_size=2).map(tuple),
    origin=st.sampled_from(["catalog", "user", "refreshed"]),
)
LINES = st.builds(
    Line,
    group=st.none() | WORDS,
    subject=WORDS,
    name=WORDS,
    kind=WORDS,
    item=WORDS,
    region=WORDS,
    quantity=st.none() | AMOUNTS,
    unit=WORDS,
    status=st.just("priced"),
    per_hour=st.none() | AMOUNTS,
    note=WORDS,
)


@settings(max_examples=60)
@given(
    prices=st.lists(PRICES, max_size=3).map(tuple),
    lines=st.lists(LINES, max_size=3).map(tuple),
    total=st.builds(Total, ceiling=AMOUNTS, active=AMOUNTS, expected=st.none() | AMOUNTS),
    unpriced=st.lists(WORDS, max_size=2).map(tuple),
)
def test_whatever_a_lock_holds_reads_back(
    prices: tuple[Price, ...], lines: tuple[Line, ...], total: Total, unpriced: tuple[str, ...]
) -> None:
    given_one = lock.Lock(
        file="stack.yaml",
        stack="sha256:1",
        prices="sha256:2",
        catalog="2",
        versions={"gpuinfra": "0"},
        settings={},
        workloads={},
        buckets={"data": lock.LockedPart(declared_values={"size": 1}, prices=prices)},
        others=lock.LockedPart(lines=lines),
        totals=lock.Totals(per_hour=total, per_month=total),
        unpriced=unpriced,
    )

    assert text.read(text.write(given_one), "gpuinfra.lock") == given_one


def test_equal_numbers_are_written_alike(whole: lock.Lock) -> None:
    hundred = replace(whole.totals.per_hour, ceiling=Decimal(100))
    other = replace(whole.totals.per_hour, ceiling=Decimal("1.0E+2"))

    assert text.write(
        replace(whole, totals=replace(whole.totals, per_hour=hundred))
    ) == text.write(replace(whole, totals=replace(whole.totals, per_hour=other)))


def test_fields_with_a_key_of_their_own_are_stored_by_it(whole: lock.Lock) -> None:
    (name, work), *_ = whole.workloads.items()
    rungs = tuple(replace(rung, skip_reason="over the cap") for rung in work.rungs)
    prices = tuple(replace(price, remark="converted") for price in work.prices)
    changed = replace(work, rungs=rungs, prices=prices)

    stored = json.loads(text.write(replace(whole, workloads={name: changed})))

    held = stored["workloads"][name]
    assert {rung["struck"] for rung in held["rungs"]} == {"over the cap"}
    assert {price["said"] for price in held["prices"]} == {"converted"}
    assert held["asked"] == work.declared_values
    assert Decimal(stored["totals"]["per_hour"]["standing"]) == whole.per_hour.active


def test_every_row_stands_on_a_line_of_its_own(whole: lock.Lock) -> None:
    written = text.write(whole)

    rows = [line for line in written.splitlines() if line.lstrip().startswith("{")]
    parts: list[Any] = [*whole.workloads.values(), *whole.buckets.values(), whole.others]
    rungs = sum(len(work.rungs) for work in whole.workloads.values())
    assert len(rows) - 1 == rungs + sum(len(part.prices) + len(part.lines) for part in parts)
    assert json.loads(written)["schema"] == lock.SCHEMA


def test_line_ends_of_another_system_are_no_change(whole: lock.Lock) -> None:
    assert text.read(text.write(whole).replace("\n", "\r\n"), "gpuinfra.lock") == whole


@pytest.mark.parametrize("marker", ["<<<<<<< ours", "=======", ">>>>>>> theirs", "||||||| base"])
def test_a_merge_conflict_is_named_with_its_line(whole: lock.Lock, marker: str) -> None:
    lines = text.write(whole).splitlines()
    lines.insert(2, marker)

    conflict = problem("\n".join(lines))

    assert conflict.message == "the lock has a merge conflict"
    assert conflict.fix == "resolve it by gpuinfra lock . --update"
    assert conflict.position is not None
    assert (conflict.position.line, conflict.position.text) == (3, marker)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_lock_that_is_cut_off_says_so(whole: lock.Lock, share: float) -> None:
    written = text.write(whole)

    refusal = problem(written[: int((len(written) - 2) * share)])

    assert refusal.message.startswith("the lock is ")
    assert "--update" in refusal.fix
    assert refusal.position is not None


def test_a_lock_that_was_edited_by_hand_is_refused(whole: lock.Lock) -> None:
    written = text.write(whole)
    assert "g6.8xlarge" in written

    refusal = problem(written.replace("g6.8xlarge", "g6.4xlarge", 1))

    assert "changed by hand or by a merge" in refusal.message
    assert refusal.position is not None
    assert '"digest"' in refusal.position.text


def test_a_key_that_stands_twice_is_refused(whole: lock.Lock) -> None:
    twice = text.write(whole).replace('"file":', '"catalog": "x",\n  "file":', 1)

    assert "'catalog' twice" in problem(twice).message


def test_a_newer_schema_is_told_from_damage(whole: lock.Lock) -> None:
    newer = text.write(whole).replace('"schema": 1', f'"schema": {lock.SCHEMA + 1}', 1)

    refusal = problem(newer)

    assert refusal.message == "the lock has schema 2; this gpuinfra reads up to 1"
    assert refusal.position is not None
    assert refusal.position.line == 2


@pytest.mark.parametrize(
    "written", ["", "[]", "null", "{}", "{'a': 1}", '{"schema": true}', '"text"', "[" * 100_000]
)
def test_what_is_no_lock_is_said_to_be_none(written: str) -> None:
    assert problem(written).position is not None


@pytest.mark.parametrize("key", ["stack", "workloads", "totals", "others", "file"])
def test_a_part_that_is_missing_is_named(whole: lock.Lock, key: str) -> None:
    content = json.loads(text.write(whole))
    del content[key], content["digest"], content["schema"]
    digest = lock.digest_of(content)

    refusal = problem(json.dumps({"schema": 1, "digest": digest, **content}))

    assert f"no readable {key}" in refusal.message
