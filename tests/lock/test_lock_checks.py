from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpuinfra import cost, lock, source
from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.clouds import tables
from gpuinfra.cost import compare as comparing
from gpuinfra.errors import InputError
from gpuinfra.model import Price
from gpuinfra.price_overrides import stack_prices
from tests.lock.conftest import DAY, STACKS, Stack, made, refusal
from tests.lock.forging import forge, set_price

FOLDERS = sorted(path.parent for path in STACKS.glob("*/stack.yaml"))

OWN = """version: 1
prices: [{cloud: aws, machine: g6.xlarge, region: us-east-1, per_hour: 0.50}]
discounts: [{cloud: aws, off: 10%, modes: [services]}]
"""


def locked(path: Path) -> Path:
    lock.write(made(path), lock.lock_path(path))
    return path


def told(path: Path) -> list[str]:
    """What the lock of a file says that does not follow."""
    stack_source, plan = source.read(path, {})
    assert stack_source.valid_lock is not None
    plan = cost.plan_on_active_rungs(plan, cost.estimate(plan, stack_source.terms(DAY)))
    terms = replace(stack_source.terms(DAY), prices=stack_source.current_prices)
    return [
        str(problem)
        for problem in lock.inconsistent_values(
            stack_source.valid_lock, stack_source.stack, plan, terms
        )
    ]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_what_was_written_follows_from_its_own_rows(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text((folder / "stack.yaml").read_text())

    assert told(locked(path)) == []


def test_own_prices_follow_wherever_they_stand_in_their_file(stack: Stack) -> None:
    path = stack()
    beside = path.with_name("prices.yaml")
    beside.write_text(OWN)
    locked(path)
    beside.write_text(f"# moved down\n\n{OWN}")

    assert told(path) == []


def test_a_price_that_the_tables_do_not_have_is_told(stack: Stack) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), set_price("g6.8xlarge", per_unit="0.01"))

    messages = told(path)

    assert any(
        message.startswith("the price of g6.8xlarge (on-demand) in us-east-1: $0.01 of 20")
        for message in messages
    )
    assert any(message.startswith("ceiling per hour: $6.68 -> ") for message in messages)


def test_a_date_that_the_tables_do_not_have_is_told(stack: Stack) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), set_price("ebs-gp3-storage", as_of="2026-11-20"))

    assert any("2026-11-20" in message for message in told(path))


def test_by_other_tables_only_its_own_figures_are_looked_at(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = locked(stack())
    monkeypatch.setattr(tables, "digest", lambda: "of other tables")
    monkeypatch.setattr(
        source,
        "CATALOG",
        PriceBook(change=lambda price: replace(price, per_unit=price.per_unit * 3)),
    )
    assert told(path) == []

    forge(lock.lock_path(path), set_price("g6.8xlarge", per_unit="0.01"))
    messages = told(path)
    assert messages
    assert not any(message.startswith("the price of") for message in messages)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            lambda value: value["totals"]["per_hour"].update(ceiling="1"),
            "ceiling per hour: $1.00 -> $6.68",
        ),
        (
            lambda value: value["totals"]["per_month"].update(standing="2"),
            "standing per month: $2.00 -> ",
        ),
        (lambda value: value.update(unpriced=["x"]), "parts without a price: 1 -> 0"),
        (lambda value: value["workloads"]["chat"]["lines"].pop(), "the line "),
    ],
)
def test_a_figure_that_does_not_follow_is_told(
    stack: Stack, change: Callable[[dict[str, Any]], object], why: str
) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), change)

    assert [message for message in told(path) if message.startswith(why)]


def of_trainer(**values: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for rung in content["workloads"]["trainer"]["rungs"]:
            rung.update(values)

    return change


def test_a_locked_machine_has_what_the_stack_asks_for(stack: Stack) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), of_trainer(machine="g6.xlarge"))

    words = refusal(path).splitlines()

    assert words[0] == f"the lock does not match {path}"
    assert words[1].startswith(
        "  training.trainer on spot@us-east-1 is locked to g6.xlarge, which "
    )
    assert words[2].startswith(
        "  training.trainer on on-demand@us-east-1 is locked to g6.xlarge, which "
    )
    assert words[-1] == f"  choose again: gpuinfra lock {path} --update"
    source.read(path, {}, lock="ignore")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            lambda value: value["workloads"]["trainer"]["rungs"].pop(),
            (
                "is locked with spot@us-east-1, and this stack file now allows spot@us-east-1, "
                "on-demand@us-east-1"
            ),
        ),
        (lambda value: value["workloads"]["trainer"].update(rungs=[]), "is locked with no rung"),
        (
            lambda value: value["workloads"]["trainer"]["rungs"].reverse(),
            "is locked with on-demand@",
        ),
        (
            lambda value: value["workloads"]["trainer"].update(cloud="gcp"),
            "training.trainer is locked on gcp, and now runs on aws",
        ),
    ],
)
def test_a_lock_has_the_clouds_and_rungs_of_the_stack(
    stack: Stack, change: Callable[[dict[str, Any]], object], why: str
) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), change)

    assert why in refusal(path)


def test_a_machine_that_no_table_has_is_named(stack: Stack) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), of_trainer(machine="g9.xlarge"))

    with pytest.raises(InputError) as caught:
        source.read(path, {})

    assert (
        caught.value.problems[0].message == "the lock's machine type g9.xlarge is unknown on aws"
    )


def test_what_the_market_says_of_a_locked_machine_changes_nothing(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = locked(stack())
    far = PriceBook(change=lambda price: replace(price, per_unit=price.per_unit * 1000))
    monkeypatch.setattr(stack_prices, "CATALOG", far)

    source.read(path, {})


def dear(item: str, per_unit: str, mode: str) -> Price:
    return Price(
        cloud="aws",
        item=item,
        region="us-east-1",
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(per_unit),
        currency="USD",
        source="a test",
        as_of="2026-11-01",
    )


def test_what_is_dearer_today_is_told_and_the_locked_price_counts(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = locked(stack())
    assert source.read(path, {})[0].notes == ()
    rows = [
        dear("g6.8xlarge", "60", "on-demand"),
        dear("g6.xlarge", "0.01", "on-demand"),
        dear("g6.8xlarge", "70", "spot"),
    ]
    monkeypatch.setattr(stack_prices, "CATALOG", CATALOG.overridden_by(rows))

    stack_source, plan = source.read(path, {})

    (note,) = stack_source.notes
    assert note.startswith("locked g6.8xlarge in us-east-1 ")
    assert note.endswith(f", today $60.00 (2026-11-01): to use it: gpuinfra lock {path} --update")
    assert comparing.compare(
        lock.read_lock(lock.lock_path(path)), cost.estimate(plan, stack_source.terms(DAY))
    ).is_unchanged


def test_a_price_of_the_users_own_stays_marked_as_theirs(stack: Stack) -> None:
    path = stack()
    path.with_name("prices.yaml").write_text(OWN)

    def yours() -> set[str]:
        stack_source, plan = source.read(path, {})
        quote = cost.estimate(plan, stack_source.terms(DAY))
        return {line.item for line in quote.lines if line.origin == "user"}

    before = yours()
    locked(path)

    assert yours() == before
    assert "ebs-gp3-storage" in before


def test_a_locked_price_of_ones_own_is_that_of_the_file(stack: Stack) -> None:
    path = stack()
    path.with_name("prices.yaml").write_text(OWN)
    locked(path)
    forge(lock.lock_path(path), set_price("g6.xlarge", per_unit="0.01"))

    assert "prices.yaml: on-demand g6.xlarge in us-east-1: $0.01 -> $0.50" in refusal(path)


@pytest.mark.parametrize("as_of", ["", "2099-01-01", "undated"])
def test_a_locked_price_without_a_day_that_was_is_outdated(stack: Stack, as_of: str) -> None:
    path = locked(stack())
    forge(lock.lock_path(path), set_price("g6.xlarge", as_of=as_of))

    stack_source, plan = source.read(path, {})

    quote = cost.estimate(plan, stack_source.terms(DAY))
    assert "g6.xlarge" in {line.item for line in quote.outdated}
