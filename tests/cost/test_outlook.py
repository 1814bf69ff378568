"""What a run will take and cost: with what the file says, and without."""

import math
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType

import pytest

from gpuinfra import planning
from gpuinfra.catalog import PriceBook
from gpuinfra.clouds import provider_of
from gpuinfra.cost import PricingTerms
from gpuinfra.cost.booked_lengths import paid_hours
from gpuinfra.cost.energy import energies
from gpuinfra.cost.interruptions import CheckpointTimes, daly, hours, per_hour, uninterrupted_hours
from gpuinfra.cost.outlook import outlook
from gpuinfra.cost.run_options import CostSpread, cheapest
from gpuinfra.cost.storage import ip_gbps, storage
from gpuinfra.model import Price
from gpuinfra.report.run_words import lines
from gpuinfra.stackfile import loads

TODAY = date(2026, 11, 21)
ELSEWHERE = [
    {"cloud": "gcp", "region": "us-central1", "gpu": "L4:1"},
    {"cloud": "azure", "region": "eastus", "gpu": "T4:1"},
]
SAVES = "{bucket: data, every: 1h, size: 900GB, write: 2.5GB/s, restart: 15m}"

STACK = """\
version: 1
name: run
owner: me
where: {{cloud: {cloud}, regions: [{region}]}}
training:
  trainer:
    gpu: {gpu}
    nodes: {nodes}
    fabric: none
    capacity: [spot, on-demand]
    {price}
    duration: {duration}
    {more}
buckets:
  data: {{size: 1TB}}
"""


def run(prices=(), budget="", struck=MappingProxyType({}), **changed):
    given = {
        "cloud": "aws",
        "region": "us-east-1",
        "gpu": "H100:8",
        "nodes": 4,
        "duration": "72h",
        "more": f"checkpoints: {SAVES}",
        "price": "max_price: 40",
    }
    stack = loads(STACK.format(**{**given, **changed}) + budget).stack
    book = PriceBook(rows=prices)
    plan = planning.from_stack(stack, prices=book)
    (run_outlook,) = outlook(stack, plan, PricingTerms(as_of=TODAY, prices=book), struck)
    return run_outlook


def priced(item="p5.48xlarge", mode="on-demand", per_unit="55.04", **more):
    return Price(
        cloud="aws",
        item=item,
        region="us-east-1",
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(per_unit),
        currency="USD",
        source="yours",
        as_of="2026-11-01",
        origin="user",
        **more,
    )


def way(run_outlook, mode):
    return next(way for way in run_outlook.options if way.mode == mode)


class TestWithEverything:
    def test_spot_takes_what_the_closed_form_says_and_costs_that(self):
        run_outlook = run()
        spot = way(run_outlook, "spot")
        saving = CheckpointTimes(interval_hours=1, write_hours=0.1, restart_hours=0.25)
        taken = hours(72, saving, per_hour(0.2, 4))

        assert run_outlook.risk.published.high is None
        assert (run_outlook.risk.counted_share, run_outlook.risk.origin) == (
            Decimal("0.2"),
            "cloud",
        )
        assert spot.hours == taken
        assert spot.cost.expected == Decimal(taken.expected).quantize(Decimal("0.0001")) * (
            spot.per_hour
        )
        assert spot.uninterrupted_cost <= spot.cost.p10 <= spot.cost.p90

    def test_on_demand_writes_checkpoints_too_and_is_never_interrupted(self):
        listed = way(run(), "on-demand")

        assert listed.hours.expected == pytest.approx(72 + 72 * 0.1)
        assert listed.hours.interruptions == 0
        assert listed.cost.expected == Decimal("79.2") * Decimal("220.16")

    def test_a_block_is_paid_to_its_end(self):
        block = way(run(), "capacity-block")

        assert block.cost.expected == 4 * 24 * block.per_hour
        assert block.break_even == block.cost.expected / Decimal("220.16")
        assert "4 days are booked" in block.note

    def test_the_best_interval_is_dalys_and_saves(self):
        run_outlook = run()
        interval = run_outlook.checkpoint.interval

        assert interval.best_hours == daly(0.1, run_outlook.risk.hours_between)
        assert interval.run_hours_best < interval.run_hours_stated

    def test_the_cheapest_way_that_can_be_expected_to_run_is_named(self):
        waits, runs = run(), run(price="max_price: 55.04")
        costs = {way.mode: way.cost.expected for way in waits.options}

        assert min(costs, key=costs.get) == "spot"
        assert waits.cheapest == "capacity-block"
        assert waits.missing_key == ""
        assert not way(runs, "spot").may_wait
        assert runs.cheapest == "capacity-block"

    def test_what_no_stack_file_can_ask_for_is_not_named(self):
        ways = tuple(
            replace(
                way(run(), "on-demand"),
                mode=mode,
                cost=CostSpread(expected=Decimal(cost), p10=Decimal(cost), p90=Decimal(cost)),
            )
            for mode, cost in (("on-demand", 30), ("spot", 20), ("flex-start", 10))
        )

        assert cheapest(ways) == "spot"

    def test_spot_that_runs_is_the_cheapest_where_it_costs_least(self):
        run_outlook = run([priced(mode="spot", per_unit="30")])

        assert (run_outlook.cheapest, way(run_outlook, "spot").as_of) == ("spot", "2026-11-01")
        assert way(run_outlook, "spot").per_hour == 120

    def test_the_share_of_writing_is_one_of_the_whole_undisturbed_run(self):
        run_outlook = run()

        assert run_outlook.hours_with_writes == pytest.approx(79.2)
        assert run_outlook.checkpoint.write_share == pytest.approx(7.2 / 79.2)
        assert run_outlook.checkpoint.interval_hours == 1

    def test_runs_that_write_are_interrupted_in_writing_too(self):
        run_outlook = run()

        assert run_outlook.risk.interrupted_share == pytest.approx(
            1 - math.exp(-run_outlook.hours_with_writes / run_outlook.risk.hours_between)
        )

    def test_later_hours_are_paid_at_the_price_of_their_tier(self):
        tiers = ((Decimal(48), Decimal(20)),)
        listed = way(run([priced(per_unit="30", tiers=tiers)], more="disk: 200GB"), "on-demand")

        assert listed.cost.expected == 4 * (48 * 30 + 24 * 20)

    def test_at_the_break_even_rate_spot_costs_as_much_as_on_demand(self):
        run_outlook = run()
        spot, listed = way(run_outlook, "spot"), way(run_outlook, "on-demand")
        saving = CheckpointTimes(interval_hours=1, write_hours=0.1, restart_hours=0.25)
        taken = hours(72, saving, 1 / run_outlook.break_even.hours_between)

        assert taken.expected * float(spot.per_hour) == pytest.approx(float(listed.cost.expected))
        assert 0 < run_outlook.break_even.interrupted_share <= 1

    def test_more_machines_are_interrupted_more_often(self):
        assert run(nodes=8).risk.hours_between == pytest.approx(
            run(nodes=4).risk.hours_between / 2
        )


class TestWithLess:
    def test_what_is_not_said_stays_unknown_and_is_named(self):
        run_outlook = run(more="checkpoints: {bucket: data, size: 900GB}")

        assert run_outlook.missing_key == "write: 2GB/s, restart: 10m"
        assert run_outlook.parent_key == "training.trainer.checkpoints"
        assert way(run_outlook, "spot").hours is None
        assert "what an interruption loses is unknown" in way(run_outlook, "spot").note
        assert way(run_outlook, "spot").cost is None
        assert way(run_outlook, "spot").uninterrupted_cost is not None
        assert run_outlook.break_even.interrupted_share is None
        assert run_outlook.checkpoint.interval is None

    def test_nothing_is_the_cheapest_while_the_cost_of_a_way_that_runs_is_not_known(self):
        run_outlook = run(price="max_price: 60", more="checkpoints: {bucket: data, size: 900GB}")

        assert not way(run_outlook, "spot").may_wait
        assert run_outlook.cheapest == ""

    def test_the_best_interval_needs_no_restart_time(self):
        run_outlook = run(more="checkpoints: {bucket: data, size: 900GB, write: 2.5GB/s}")

        assert run_outlook.checkpoint.interval.best_hours > 0
        assert run_outlook.checkpoint.interval.run_hours_stated is None
        assert run_outlook.missing_key == "restart: 10m"

    def test_without_checkpoints_only_short_runs_pay_on_spot(self):
        run_outlook = run(more="disk: 200GB")

        assert run_outlook.missing_key.startswith("checkpoints: {bucket")
        assert "it writes no checkpoints: an interruption" in way(run_outlook, "spot").note
        assert run_outlook.break_even.interrupted_share is None
        assert 0 < run_outlook.break_even.hours < 8760

    def test_a_spot_price_too_old_to_count_bounds_and_compares_with_nothing(self):
        run_outlook = run(gpu="L4:1", nodes=1, price="")
        spot, listed = way(run_outlook, "spot"), way(run_outlook, "on-demand")

        assert (spot.bounded_by, listed.bounded_by) == ("on-demand", "")
        assert (spot.per_hour, spot.as_of, spot.source) == (
            listed.per_hour,
            listed.as_of,
            listed.source,
        )
        assert (run_outlook.break_even.interrupted_share, run_outlook.break_even.hours) == (
            None,
            None,
        )
        assert run_outlook.cheapest == ""
        told = "\n".join(lines(run_outlook))
        assert "break-even: unknown: the spot price is too old" in told
        assert f"spot unknown, at most on demand {listed.source}" in told
        assert "more than 365 days ago, and is not counted" in told

    @pytest.mark.parametrize("place", ELSEWHERE)
    def test_where_no_rate_was_read_the_break_even_rate_and_its_place_are_told(self, place):
        run_outlook = run(**place, nodes=1, price="")

        assert run_outlook.risk.published is None
        assert run_outlook.risk.rate_source.cloud == place["cloud"]
        assert run_outlook.risk.rate_source.source.startswith("https://")
        assert way(run_outlook, "spot").hours is None
        assert way(run_outlook, "spot").note.endswith("the interruption rate is unknown")
        stale = way(run_outlook, "spot").today is None
        assert (
            (run_outlook.break_even.interrupted_share is None)
            == stale
            == (place["cloud"] == "azure")
        )
        assert run_outlook.risk.hours_between is None

    @pytest.mark.parametrize("place", ELSEWHERE)
    def test_a_rate_of_the_users_own_tells_hours_and_dollars_on_every_cloud(self, place):
        more = f"checkpoints: {SAVES}\n    interruptions: 40%"
        run_outlook = run(**place, nodes=16, price="", more=more)
        spot = way(run_outlook, "spot")

        assert (run_outlook.risk.counted_share, run_outlook.risk.origin) == (
            Decimal("0.4"),
            "user",
        )
        assert run_outlook.risk.rate_source is None
        assert spot.hours == hours(
            72,
            CheckpointTimes(
                interval_hours=1,
                write_hours=run_outlook.checkpoint.write_hours,
                restart_hours=0.25,
            ),
            per_hour(0.4, 16),
        )
        assert spot.cost.p10 < spot.cost.expected < spot.cost.p90

    def test_a_rate_of_the_users_own_stands_before_the_published_one(self):
        run_outlook = run(more=f"checkpoints: {SAVES}\n    interruptions: 5%")

        assert run_outlook.risk.published.low == Decimal("0.2")
        assert run_outlook.risk.counted_share == Decimal("0.05")
        assert run_outlook.risk.hours_between == pytest.approx(1 / per_hour(0.05, 4))

    def test_of_a_published_bucket_the_upper_end_is_counted(self):
        run_outlook = run(gpu="T4:1", nodes=1, price="")
        published = provider_of("aws").prices.interruption(run_outlook.machine, "us-east-1")

        assert published.high is not None
        assert run_outlook.risk.counted_share == published.high > published.low

    def test_a_model_tells_what_its_checkpoint_holds(self):
        run_outlook = run(
            gpu="{for_model: {parameters: 7B}, model: H100, count: 8}",
            more="checkpoints: {bucket: data, write: 1GB/s, restart: 10m}",
        )

        assert run_outlook.checkpoint.gigabytes == 7 * (2 + 4 + 8)
        assert run_outlook.checkpoint.size_key == "for_model"
        assert run_outlook.checkpoint.write_hours == pytest.approx(98 / 3600)
        assert run_outlook.missing_key == ""

    def test_without_a_duration_there_is_no_outlook(self):
        stack = loads(
            STACK.format(
                cloud="aws",
                region="us-east-1",
                gpu="L4:1",
                nodes=1,
                duration="1h",
                more="disk: 200GB",
                price="",
            ).replace("    duration: 1h\n", "")
        ).stack
        plan = planning.from_stack(stack)

        assert outlook(stack, plan, PricingTerms(as_of=TODAY), {}) == ()

    def test_spot_that_is_not_cheaper_has_no_break_even(self):
        prices = [priced(mode="spot", per_unit="55"), priced(per_unit="30")]

        assert run(prices, price="max_price: 60").break_even.interrupted_share is None

    def test_a_run_that_saves_itself_too_slowly_to_end_has_no_cost(self):
        slow = "{bucket: data, every: 10m, size: 1EB, write: 1kB/s, restart: 10m}"
        run_outlook = run(more=f"checkpoints: {slow}")

        assert run_outlook.checkpoint.write_hours > run_outlook.checkpoint.interval_hours
        assert [way.cost for way in run_outlook.options] == [None] * len(run_outlook.options)
        assert way(run_outlook, "on-demand").per_hour is not None
        assert all("more than a century" in way.note for way in run_outlook.options)
        assert run_outlook.cheapest == ""


class TestSpot:
    def test_a_maximum_below_todays_price_is_counted_as_its_own_word(self):
        spot = way(run(), "spot")

        assert spot.per_hour == 160
        assert (spot.source, spot.as_of) == ("max_price of the spot request", "")
        assert spot.may_wait
        assert spot.today.per_hour == 4 * Decimal("55.04")
        assert "skypilot" in spot.today.source
        assert spot.today.as_of in spot.note
        assert "above its max_price $40.00" in spot.note

    @pytest.mark.parametrize("price", ["max_price: 55.04", "max_price: 60"])
    def test_a_maximum_that_todays_price_keeps_lets_it_run(self, price):
        spot = way(run(price=price), "spot")

        assert not spot.may_wait
        assert (spot.source, spot.as_of) == (spot.today.source, spot.today.as_of)
        assert spot.per_hour == spot.today.per_hour == 4 * Decimal("55.04")

    def test_without_a_maximum_on_demand_is_the_most_and_keeps_its_own_source(self):
        spot = way(run([priced(mode="spot", per_unit="70")], price=""), "spot")

        assert spot.may_wait
        assert spot.per_hour == 4 * Decimal("55.04")
        assert "karpenter" in spot.source
        assert "above the on-demand price $55.04" in spot.note

    def test_with_no_price_of_any_day_there_is_none(self):
        spot = way(run(cloud="azure", region="eastus", gpu="H100:8", price=""), "spot")

        assert spot.note == "the spot price is unknown"


class TestCap:
    def test_what_passes_the_cap_by_writing_alone_is_told(self):
        listed = run(budget="budget: {per_run: 16500}\n", price="max_price: 30")

        assert 72 * Decimal("220.16") < 16500 < way(listed, "on-demand").cost.expected
        assert listed.above_cap == ("on-demand",)
        assert listed.cap == 16500

    def test_what_passes_it_in_one_run_of_ten_is_told(self):
        more = f"checkpoints: {SAVES}\n    interruptions: 99%"
        spot = way(run(more=more), "spot")
        between = (spot.cost.expected + spot.cost.p90) / 2
        run_outlook = run(more=more, budget=f"budget: {{per_run: {between:.2f}}}\n")

        assert spot.cost.expected < between < spot.cost.p90
        assert "spot" in run_outlook.above_cap

    def test_a_way_that_is_not_asked_for_is_left_out(self):
        run_outlook = run(budget="budget: {per_run: 1}\n")

        assert run_outlook.above_cap == ("on-demand", "spot")
        assert run().above_cap == ()

    def test_a_rung_that_the_cap_excludes_is_left_out(self):
        struck = {("trainer", "on-demand@us-east-1"): "above the cap"}
        run_outlook = run(budget="budget: {per_run: 1}\n", struck=struck)

        assert run_outlook.above_cap == ("spot",)


class TestStorage:
    def test_only_what_carries_ip_counts(self):
        assert ip_gbps(provider_of("aws").machines.get("p5.48xlarge")) == 100
        assert ip_gbps(provider_of("gcp").machines.get("a3-highgpu-8g")) == 200
        assert ip_gbps(provider_of("azure").machines.get("Standard_ND96isr_H100_v5")) == 80
        assert ip_gbps(provider_of("aws").machines.get("g6.xlarge")) == Decimal("2.5")

    def test_the_narrowest_is_named(self):
        machine = provider_of("aws").machines.get("p5.48xlarge")
        slow = storage(machine, 4, None, Decimal(2 * 10**9))
        fast = storage(machine, 4, None, Decimal(60 * 10**9))

        assert slow.network == 50 * 10**9
        assert (slow.bottleneck, slow.write_rate) == ("checkpoints.write", 2 * 10**9)
        assert (fast.bottleneck, fast.write_rate) == ("the machines' network", 50 * 10**9)

    def test_gpus_starve_when_they_read_more_than_the_network_takes(self):
        machine = provider_of("aws").machines.get("p5.48xlarge")

        assert storage(machine, 1, Decimal(13 * 10**9), None).is_too_slow is True
        assert storage(machine, 1, Decimal(12 * 10**9), None).is_too_slow is False
        assert storage(machine, 1, Decimal("12.5") * 10**9, None).is_too_slow is False
        assert storage(machine, 1, None, None).is_too_slow is None
        unknown = replace(machine, network_gbps=None, network_sustained_gbps=None)
        assert storage(unknown, 1, Decimal(1), Decimal(1)).is_too_slow is None
        assert storage(unknown, 1, None, Decimal(1)).write_rate == 1

    def test_what_is_held_without_end_counts_not_the_burst(self):
        burst = provider_of("aws").machines.get("g5.xlarge")
        held = storage(burst, 2, Decimal(10**9), Decimal(2 * 10**9))

        assert burst.network_gbps == 10
        assert (held.network, held.rate_kind) == (2 * Decimal(312500000), "sustained")
        assert held.is_too_slow is True
        assert (held.bottleneck, held.write_rate) == ("the machines' network", held.network)

    def test_a_burst_of_unknown_end_is_called_one(self):
        machine = replace(
            provider_of("aws").machines.get("g5.xlarge"), network_sustained_gbps=None
        )
        plain = replace(machine, notes="")

        assert storage(machine, 1, None, None).rate_kind == "burst"
        assert storage(machine, 1, None, None).network == 10 * 125 * 10**6
        assert storage(plain, 1, None, None).rate_kind == ""

    def test_the_mounts_of_a_run_are_read_together(self):
        data = "data: [{bucket: data, rate: 1GB/s}, {bucket: data, prefix: b/, rate: 3GB/s}]"

        assert run(more=data).storage.gpu_read_rate == 4 * 10**9


@pytest.mark.parametrize(
    ("mode", "hours_", "paid"),
    [
        ("on-demand", "72", "72"),
        ("capacity-block", "23.25", "24"),
        ("capacity-block", "23.26", "48"),
        ("capacity-block", "340", str(21 * 24)),
        ("capacity-block", "4367.25", str(182 * 24)),
        ("capacity-block", "4367.26", None),
        ("capacity-block", "4400", None),
        ("calendar", "2160", "2160"),
        ("calendar", "2161", None),
        ("flex-start", "100", "100"),
        ("flex-start", "169", None),
        ("calendar", "24", "24"),
    ],
)
def test_what_is_booked_is_paid_in_days(mode, hours_, paid):
    lead = provider_of("aws").block_lead("p5.48xlarge")

    assert paid_hours(mode, Decimal(hours_), lead) == (None if paid is None else Decimal(paid))


def test_energy_of_each_workload():
    stack = loads(
        STACK.format(
            cloud="aws",
            region="us-east-1",
            gpu="H100:8",
            nodes=4,
            duration="72h",
            more="disk: 200GB",
            price="",
        )
    ).stack
    (bare,) = energies(planning.from_stack(stack), None, Decimal(400))
    (whole,) = energies(planning.from_stack(stack), Decimal("1.5"), Decimal(400))

    assert bare.kwh == Decimal("0.7") * 32 * 72
    assert bare.total_kwh is None
    assert bare.carbon_kg is None
    assert whole.total_kwh == bare.kwh * Decimal("1.5")
    assert whole.carbon_kg == whole.total_kwh * Decimal("0.4")
    assert (whole.period, whole.watts) == ("run", 700)


def test_undisturbed_hours_end_with_a_checkpoint():
    assert uninterrupted_hours(
        2.5, CheckpointTimes(interval_hours=1, write_hours=0.1, restart_hours=0)
    ) == pytest.approx(2.8)
