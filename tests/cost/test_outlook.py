"""What a run will take and cost: with what the file says, and without."""

import math
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog.fact_age import days_text
from gpuinfra.cost.interruptions import CheckpointTimes, daly, hours, per_hour
from gpuinfra.cost.run_options import CostSpread, cheapest
from tests.cost.outlooks import SAVES, priced, run, way


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


class TestSpot:
    def test_a_maximum_below_todays_price_is_counted_as_its_own_word(self):
        spot = way(run(), "spot")

        assert spot.per_hour == 160
        assert (spot.source, spot.as_of) == ("max_price of the spot request", "")
        assert spot.may_wait
        assert spot.today.per_hour == 4 * Decimal("55.04")
        assert "skypilot" in spot.today.source
        assert days_text(spot.today.as_of) in spot.note
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
