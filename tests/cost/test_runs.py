"""What several runs a month cost, hours booked and not used, and discounts of long use."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.cost import Line, PricingTerms, estimate
from gpuinfra.cost.machines import machine_lines
from gpuinfra.cost.run_hours import month_hours
from gpuinfra.model import Group, Rung
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads
from tests.cost.plans import LIST, TODAY, group, plan

N1 = Rung(
    capacity="on-demand",
    machine="n1-standard-8+2xT4",
    region="us-central1",
    zones=("us-central1-a",),
)


def line(of: Group) -> Line:
    (machine_line,) = machine_lines(of, of.rungs[0], PricingTerms(as_of=TODAY).prices, TODAY)
    return machine_line


def on_google(hours: int, **more: object) -> Line:
    given = {"cloud": "gcp", "minimum": 1, "maximum": 1, "hours": Decimal(hours)}
    return line(group("t", N1, **{**given, **more}))


@pytest.mark.parametrize(("runs", "hours"), [(1, 72), (4, 288), (11, 730)])
def test_a_month_is_expected_to_have_its_runs(runs: int, hours: int) -> None:
    quoted_line = line(group("t", LIST, runs=Decimal(runs)))

    assert quoted_line.expected_per_month == 4 * hours * Decimal("55.04")
    assert quoted_line.per_run == 4 * 72 * Decimal("55.04")


def test_what_ends_the_machines_ends_each_of_the_runs() -> None:
    once = line(group("t", LIST, ends_after=Decimal(80), ends=True))
    often = line(group("t", LIST, ends_after=Decimal(80), ends=True, runs=Decimal(3)))

    assert once.per_month == 4 * 80 * Decimal("55.04")
    assert often.per_month == 4 * 240 * Decimal("55.04")


def test_each_run_pays_its_capacity_block_and_the_unused_hours_are_told() -> None:
    block = replace(LIST, capacity="capacity-block")
    quoted_line = line(group("t", block, hours=Decimal(10), runs=Decimal(2), minimum=1, maximum=1))

    assert quoted_line.rate is not None
    assert (quoted_line.per_run, quoted_line.per_month) == (
        24 * quoted_line.rate,
        48 * quoted_line.rate,
    )
    assert (
        f"${28 * quoted_line.rate:,.2f} of a month is for hours that are booked"
        in quoted_line.note
    )


def test_the_unused_hours_of_a_reservation_are_told() -> None:
    kept = line(group("t", replace(LIST, reserve=True), minimum=1, maximum=1))

    assert f"${658 * Decimal('55.04'):,.2f} of a month is for hours" in kept.note
    assert "is for hours" not in line(group("t", LIST)).note


def test_long_use_of_n1_machines_is_discounted_in_what_is_expected_alone() -> None:
    """Half a month costs 90% of its list price and a whole one 70%, as Google says."""
    rate = on_google(1).rate
    half, whole = on_google(365), on_google(730)

    assert rate is not None
    assert half.expected_per_month == 365 * rate * Decimal("0.9")
    assert whole.expected_per_month == 730 * rate * Decimal("0.7")
    assert whole.per_month == 730 * rate
    assert "lower by the sustained-use discount" in whole.note
    assert "sustained-use-discounts" in whole.note


def test_short_use_spot_and_newer_machines_have_no_such_discount() -> None:
    rate = on_google(182).rate

    assert rate is not None
    assert on_google(182).expected_per_month == 182 * rate
    assert "sustained-use" not in on_google(182).note
    assert priced_cloud_of("gcp").month_discount("a2-highgpu-1g") is None
    assert priced_cloud_of("aws").month_discount("g5.xlarge") is None


def test_a_quote_warns_of_what_is_paid_and_not_used() -> None:
    quote = estimate(plan(group("t", replace(LIST, reserve=True))), PricingTerms(as_of=TODAY))

    assert any("that its runs do not use" in warning for warning in quote.warnings)


@pytest.mark.parametrize(
    ("stated", "claimed", "due", "hours"),
    [
        (10, None, None, 10),
        (10, None, 4, 10),
        (10, None, 700, 700),
        (10, None, 10_000, 730),
        (None, 10, None, 730),
        (None, 10, 4, 10),
        (None, 10, 300, 300),
        (10, 20, None, 20),
        (None, None, 4, 730),
    ],
)
def test_a_month_lasts_until_what_ends_it_is_due(stated, claimed, due, hours):
    def decimal(number):
        return None if number is None else Decimal(number)

    machines = group(
        "t",
        LIST,
        ends_after=decimal(stated),
        ends_claimed=decimal(claimed),
        ends=True,
        ends_within=decimal(due),
    )

    assert month_hours(machines) == hours


@pytest.mark.parametrize(
    ("runs", "due", "restarts", "hours"),
    [
        (1, 72, 11, 72),
        (21, 72, 11, 72 + 20 * 11),
        (21, 72, None, 730),
        (21, 5, 11, 21 * 10),
        (3, 72, 100, 3 * 72),
        (21, None, 11, 21 * 10),
    ],
)
def test_the_first_run_starts_at_any_time_and_the_others_on_schedule(runs, due, restarts, hours):
    machines = group(
        "t",
        LIST,
        ends_after=Decimal(10),
        runs=Decimal(runs),
        ends=True,
        ends_within=None if due is None else Decimal(due),
        restarts_within=None if restarts is None else Decimal(restarts),
        starts_again=True,
    )

    assert month_hours(machines) == (730 if runs == 1 else hours)


SAVING = """\
version: 1
name: run
owner: me
where: {cloud: aws, regions: [us-east-1]}
budget: {per_run: 2700}
buckets: {data: {size: 1TB}}
training:
  big:
    instance: p5.48xlarge
    capacity: [spot, on-demand]
    duration: 48h
    ENDS
    checkpoints: {bucket: data, every: 10m, SAVES restart: 10m}
"""


@pytest.mark.parametrize(
    ("ends", "saves", "hours"),
    [
        ("time_to_live: 60h", "size: 140GB, write: 2GB/s,", Decimal("53.6")),
        ("time_to_live: 50h", "size: 140GB, write: 2GB/s,", Decimal(50)),
        ("runs: 1", "size: 140GB, write: 2GB/s,", Decimal("53.6")),
        ("time_to_live: 60h", "size: 140GB,", Decimal(48)),
        # The network, 12.5 GB/s, is slower than the rate that is stated.
        ("time_to_live: 60h", "size: 140GB, write: 100GB/s,", Decimal("48.896")),
    ],
)
def test_a_run_counts_the_writing_of_its_checkpoints_until_its_machines_end(
    ends: str, saves: str, hours: Decimal
) -> None:
    stack = loads(SAVING.replace("ENDS", ends).replace("SAVES", saves)).stack
    book = PriceBook()
    quote = estimate(from_stack(stack, prices=book), PricingTerms(as_of=TODAY, prices=book))

    (run,) = quote.runs
    (machines,) = (each for each in quote.lines if each.item == "p5.48xlarge")
    assert run.hours == hours
    assert machines.per_run == hours * Decimal("55.04")
    assert (quote.skip_reasons["big", "spot@us-east-1"] is not None) == (hours > Decimal(49))
