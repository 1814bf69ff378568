"""What a run will take and cost where the file, a price or a figure is missing."""

from decimal import Decimal

import pytest

from gpuinfra import planning
from gpuinfra.clouds import provider_of
from gpuinfra.cost import PricingTerms
from gpuinfra.cost.interruptions import CheckpointTimes, hours, per_hour
from gpuinfra.cost.outlook import outlook
from gpuinfra.report.run_words import lines
from gpuinfra.stackfile import loads
from tests.cost.outlooks import SAVES, STACK, TODAY, priced, run, way

ELSEWHERE = [
    {"cloud": "gcp", "region": "us-central1", "gpu": "L4:1"},
    {"cloud": "azure", "region": "eastus", "gpu": "T4:1"},
]


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
