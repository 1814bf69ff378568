"""A plan by its lock: locked prices, machines, clouds and rungs."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from gpuinfra import lock, source
from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.cost import estimate
from gpuinfra.cost.compare import compare
from gpuinfra.errors import InputError
from gpuinfra.model import Price
from tests.lock.conftest import DAY, Stack, locked, made, refusal, times


def row(item: str, per_unit: str, **more: str) -> Price:
    given = {
        "mode": "on-demand",
        "unit": "hour",
        "source": "a test",
        "as_of": "2026-11-01",
        **more,
    }
    return Price(
        cloud="aws",
        item=item,
        region="us-east-1",
        zone=None,
        per_unit=Decimal(per_unit),
        currency="USD",
        **given,
    )


def test_a_lock_that_matches_gives_the_quote_that_it_was_made_of(stack: Stack) -> None:
    path = stack()
    whole = locked(path)

    stack_source, plan = source.read(path, {})
    quote = estimate(plan, stack_source.terms(DAY))

    assert stack_source.valid_lock == whole
    assert compare(whole, quote).is_unchanged
    assert {line.origin for line in quote.lines if line.kind in {"on-demand", "disk"}} == {"lock"}


def test_locked_prices_hold_whatever_the_catalog_says_later(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stack()
    whole = locked(path)
    dearer = PriceBook(change=lambda price: replace(price, per_unit=price.per_unit * 3))
    monkeypatch.setattr(source, "CATALOG", dearer)

    stack_source, plan = source.read(path, {})

    assert compare(whole, estimate(plan, stack_source.terms(DAY))).is_unchanged


def test_a_locked_price_still_ages(stack: Stack) -> None:
    path = stack()
    locked(path)
    stack_source, plan = source.read(path, {})

    assert not estimate(plan, stack_source.terms(date(2026, 11, 21))).outdated
    much_later = {
        line.item for line in estimate(plan, stack_source.terms(date(2030, 1, 1))).outdated
    }
    assert {"g6.xlarge", "ebs-gp3-storage"} <= much_later


def test_a_locked_machine_stays_when_another_gets_cheaper(stack: Stack) -> None:
    path = stack(("instance: g6.8xlarge", "gpu: L4:1"), ("fabric: required", "fabric: required"))
    first = locked(path)
    (machine,) = {type_ for (name, _), type_ in first.machines.items() if name == "chat"}
    assert machine == "g6.xlarge"
    cheap = CATALOG.overridden_by(
        [row("g6.4xlarge", "0.01"), row("g6.4xlarge", "0.01", mode="spot")]
    )

    unlocked, without = source.read(path, {}, lock="ignore")
    without = source.plan(replace(unlocked, prices=cheap), {})
    stack_source, _ = source.read(path, {})
    plan = source.plan(replace(stack_source, prices=cheap), {})

    assert {group.rung.machine for group in without.groups if group.name == "chat"} == {
        "g6.4xlarge"
    }
    assert {group.rung.machine for group in plan.groups if group.name == "chat"} == {"g6.xlarge"}


ANYWHERE = """version: 1
name: anywhere
owner: me
where: {cloud: any, regions: [us-east-1, us-central1]}
training:
  one: {gpu: L4:1, duration: 1h}
"""


@pytest.mark.parametrize(("dear", "cloud"), [("aws", "gcp"), ("gcp", "aws")])
def test_a_locked_cloud_stays_when_another_gets_cheaper(
    tmp_path: Path, dear: str, cloud: str
) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text(ANYWHERE)
    against = PriceBook(change=lambda price: times(price, 1000 if price.cloud == dear else 1))
    turned = PriceBook(change=lambda price: times(price, 1 if price.cloud == dear else 1000))
    whole = made(path, prices=against)
    lock.write(whole, lock.lock_path(path))

    unlocked, _ = source.read(path, {}, lock="ignore")
    stack_source, _ = source.read(path, {})

    assert {work.cloud for work in whole.workloads.values()} == {cloud}
    assert clouds(replace(unlocked, prices=turned)) == {dear}
    assert clouds(replace(stack_source, prices=turned)) == {cloud}


def clouds(stack_source: source.Source) -> set[str]:
    return {group.cloud for group in source.plan(stack_source, {}).groups}


def test_a_locked_rung_keeps_why_it_was_struck(stack: Stack) -> None:
    held = locked(stack(("per_run: 20", "per_run: 13")))

    struck = held.skip_reasons["trainer", "on-demand@us-east-1"]
    assert struck == "$16.28 a run, above the cap of $13.00"
    assert lock.read_lock(lock.lock_path(stack())).skip_reasons == held.skip_reasons
    told = refusal(stack(("per_run: 20", "per_run: 30")))
    assert "  trainer: on-demand@us-east-1 is available again" in told.splitlines()


def test_problems_of_the_file_come_before_the_lock(stack: Stack) -> None:
    locked(stack())

    with pytest.raises(InputError):
        source.read(stack(("instance: g6.8xlarge", "instance: g6.9xlarge")), {})


def test_a_damaged_lock_is_told_with_the_problems_of_the_file(stack: Stack) -> None:
    path = stack(("owner: ml-platform\n", "owner: 7\n"))
    lock.lock_path(path).write_text("<<<<<<< ours\n")

    with pytest.raises(InputError) as caught:
        source.read(path, {})

    assert {problem.position.file for problem in caught.value.problems if problem.position} == {
        str(path),
        str(lock.lock_path(path)),
    }


def test_the_lock_of_another_stack_file_in_the_folder_is_not_this_ones(stack: Stack) -> None:
    locked(stack())
    other = stack(("nodes: 2", "nodes: 4"), name="other.yaml")

    stack_source, _ = source.read(other, {})

    assert stack_source.lock is None


def test_told_plans_without_a_lock_that_does_not_match(stack: Stack) -> None:
    whole = locked(stack())
    path = stack(("nodes: 2", "nodes: 4"))

    stack_source, plan = source.read(path, {}, lock="silent")

    assert stack_source.lock == whole
    assert stack_source.valid_lock is None
    assert [str(change) for change in stack_source.lock_changes] == [
        "training.trainer.nodes: 2 -> 4"
    ]
    assert {group.maximum for group in plan.groups if group.name == "trainer"} == {4}
