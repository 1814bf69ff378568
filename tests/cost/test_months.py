"""The hours that a month and a run are billed for, of machines and of what stays."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.catalog import CATALOG, PriceBook
from gpuinfra.cost.breakdown import excluded_run_costs
from gpuinfra.model import Group, GroupLifecycle
from tests.cost.plans import GIB_PRICE, LIST, group, item, plan, pool, quoted


def ended(after: int, **more: Any) -> Group:
    return group("a", LIST, hours=Decimal(24), ends_after=Decimal(after), **more)


def test_a_month_has_730_hours_whatever_a_run_takes() -> None:
    months = {
        quoted(plan(group("a", LIST, hours=hours))).per_month.ceiling
        for hours in (Decimal(72), Decimal(2000), None)
    }

    assert months == {Decimal("220.16") * 730}


def test_a_month_ends_with_what_ends_the_machines() -> None:
    quote = quoted(plan(ended(400)))

    assert quote.per_month.ceiling == Decimal("220.16") * 400
    assert quote.per_month.expected == quote.per_run.ceiling == Decimal("220.16") * 24
    assert quoted(plan(ended(1000))).per_month.ceiling == Decimal("220.16") * 730


def test_a_disk_that_a_stopped_machine_keeps_costs_the_whole_month() -> None:
    disk = item("ebs-gp3-storage", Decimal(730), group="a", per_machine=True)
    kept = replace(disk, kept_when_stopped=True)
    ended_month = quoted(plan(ended(73), items=(disk,))).per_month.ceiling
    stopped_month = quoted(plan(ended(73), items=(kept,))).per_month

    assert stopped_month.ceiling - ended_month == Decimal("0.08") * 730 * 4 * Decimal("0.9")
    assert stopped_month.expected == Decimal("220.16") * 24 + Decimal("0.08") * 730 * 4


def test_a_month_has_730_hours_where_resources_show_that_nothing_ends_it() -> None:
    quote = quoted(plan(ended(400, lifecycle=GroupLifecycle(ends=False))))

    assert quote.per_month.ceiling == Decimal("220.16") * 730


@pytest.mark.parametrize(("hours", "paid"), [(10, "3986.688"), (96, "19933.44")])
def test_a_capacity_block_is_paid_to_its_end(hours: int, paid: str) -> None:
    block = replace(LIST, capacity="capacity-block", reservation="cr-1")
    quote = quoted(plan(group("a", block, hours=Decimal(hours))))

    assert quote.per_run.ceiling == quote.per_month.ceiling == Decimal(paid)
    assert quote.per_month.expected == Decimal(paid)


def test_a_reservation_is_paid_all_month() -> None:
    reserved = replace(LIST, reserve=True)
    quote = quoted(plan(group("a", reserved, hours=Decimal(72))))

    assert quote.per_run.ceiling == Decimal("220.16") * 72
    assert quote.per_month.ceiling == quote.per_month.expected == Decimal("220.16") * 730


def test_what_was_paid_beforehand_counts_for_each_hour_of_a_month() -> None:
    row = CATALOG.on_demand("aws", "p5.48xlarge", "us-east-1")
    assert row is not None
    own = replace(row, per_unit=Decimal(4), prepaid=Decimal("0.75"), origin="user", as_of="")
    quote = quoted(plan(ended(100)), prices=PriceBook([own]))

    assert quote.per_run.ceiling == 4 * 4 * 24
    assert quote.per_month.ceiling == 4 * (3 * 730 + 1 * 100)
    assert quote.per_month.expected == 4 * (3 * 730 + 1 * 24)


def test_storage_counts_by_the_hour_for_the_month_and_for_the_run() -> None:
    disk = item("ebs-gp3-storage", Decimal(730), group="a", per_machine=True)
    quote = quoted(plan(group("a", LIST), items=(disk,)))
    (line,) = [line for line in quote.lines if line.item == "ebs-gp3-storage"]

    assert line.quantity == 4 * 730
    assert line.per_hour == 4 * GIB_PRICE
    assert line.per_month == 4 * GIB_PRICE * 730
    assert line.per_run == 4 * GIB_PRICE * 72
    assert quote.per_run is not None
    assert quote.per_run.ceiling == Decimal("15851.52") + 4 * GIB_PRICE * 72


def test_what_is_used_up_in_a_month_costs_its_share_of_an_hour() -> None:
    requests = item("s3-standard-put", Decimal(73_000), region="us-east-1", monthly=True)
    (line,) = quoted(plan(items=(requests,))).lines

    assert (line.status, line.quantity, line.unit) == ("priced", 73_000, "1k-requests")
    assert line.per_month == Decimal("365.00")
    assert line.per_hour == Decimal("0.5")
    assert line.per_run is None


def test_what_stays_when_the_run_is_over_counts_for_the_whole_month_and_for_no_run() -> None:
    nat = item("nat-gateway-hour", Decimal(1), group="a")
    (line,) = [line for line in quoted(plan(group("a", LIST), items=(nat,))).lines if line.rate and
               line.item == "nat-gateway-hour"]  # fmt: skip

    assert (line.per_month, line.per_run) == (Decimal("0.045") * 730, None)


def test_what_a_run_leaves_out_is_told_for_its_hours_without_what_belongs_to_others() -> None:
    own = item("nat-gateway-hour", Decimal(1), group="a")
    shared = item("public-ipv4-hour", Decimal(2), region="us-east-1")
    disk = item("ebs-gp3-storage", Decimal(730), group="a", per_machine=True)
    others = item("nat-gateway-hour", Decimal(1), group="chat")
    quote = quoted(plan(group("a", LIST), pool(), items=(own, shared, disk, others)))

    (run,) = quote.runs
    beside = excluded_run_costs(quote, run)
    assert beside.amount == (Decimal("0.045") + 2 * Decimal("0.005")) * 72
    assert run.total.ceiling == Decimal("15851.52") + 4 * GIB_PRICE * 72
