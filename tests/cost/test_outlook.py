"""What a run will take and cost: with what the file says, and without."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra import planning
from gpuinfra.catalog import Book
from gpuinfra.clouds import room
from gpuinfra.cost import Terms
from gpuinfra.cost.booking import paid_hours
from gpuinfra.cost.energy import energies
from gpuinfra.cost.interruptions import Saving, daly, hours, per_hour, undisturbed
from gpuinfra.cost.outlook import outlook
from gpuinfra.cost.storage import ip_gbps, storage
from gpuinfra.model import Price
from gpuinfra.stackfile import loads

TODAY = date(2026, 11, 21)
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


def run(prices=(), **changed):
    given = {
        "cloud": "aws",
        "region": "us-east-1",
        "gpu": "H100:8",
        "nodes": 4,
        "duration": "72h",
        "more": f"checkpoints: {SAVES}",
        "price": "max_price: 40",
    }
    stack = loads(STACK.format(**{**given, **changed})).stack
    book = Book(rows=prices)
    plan = planning.from_stack(stack, prices=book)
    (found,) = outlook(stack, plan, Terms(as_of=TODAY, prices=book))
    return found


def way(found, mode):
    return next(one for one in found.ways if one.mode == mode)


class TestWithEverything:
    def test_spot_takes_what_the_closed_form_says_and_costs_that(self):
        found = run()
        spot = way(found, "spot")
        saving = Saving(every=1, write=0.1, restart=0.25)
        taken = hours(72, saving, per_hour(0.2, 4))

        assert found.interruption.high is None
        assert found.counted == Decimal("0.2")
        assert spot.hours == taken
        assert spot.cost.expected == Decimal(taken.expected).quantize(Decimal("0.0001")) * (
            spot.per_hour
        )
        assert spot.least <= spot.cost.p10 <= spot.cost.p90

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
        found = run()
        interval = found.interval

        assert interval.best == daly(0.1, found.between)
        assert interval.hours_best < interval.hours_now

    def test_the_cheapest_way_is_named(self):
        found = run()
        costs = {one.mode: one.cost.expected for one in found.ways}

        assert found.cheapest == min(costs, key=costs.get)
        assert found.unknown == ""

    def test_at_the_break_even_rate_spot_costs_as_much_as_on_demand(self):
        found = run()
        spot, listed = way(found, "spot"), way(found, "on-demand")
        saving = Saving(every=1, write=0.1, restart=0.25)
        taken = hours(72, saving, 1 / found.break_even_between)

        assert taken.expected * float(spot.per_hour) == pytest.approx(float(listed.cost.expected))
        assert 0 < found.break_even <= 1

    def test_more_machines_are_interrupted_more_often(self):
        assert run(nodes=8).between == pytest.approx(run(nodes=4).between / 2)


class TestWithLess:
    def test_what_is_not_said_stays_unknown_and_is_named(self):
        found = run(more="checkpoints: {bucket: data, size: 900GB}")

        assert found.unknown == "checkpoints: {write: 2GB/s, restart: 10m}"
        assert way(found, "spot").hours is None
        assert way(found, "spot").cost is None
        assert way(found, "spot").least is not None
        assert found.break_even is None
        assert found.interval is None
        assert found.cheapest == ""

    def test_the_best_interval_needs_no_restart_time(self):
        found = run(more="checkpoints: {bucket: data, size: 900GB, write: 2.5GB/s}")

        assert found.interval.best > 0
        assert found.interval.hours_now is None
        assert found.unknown == "checkpoints: {restart: 10m}"

    def test_without_checkpoints_only_short_runs_pay_on_spot(self):
        found = run(more="disk: 200GB")

        assert found.unknown.startswith("checkpoints: {bucket")
        assert found.break_even is None
        assert 0 < found.break_even_hours < 8760

    @pytest.mark.parametrize(
        ("cloud", "region", "gpu"), [("gcp", "us-central1", "L4:1"), ("azure", "eastus", "T4:1")]
    )
    def test_where_nobody_publishes_a_rate_the_break_even_rate_is_told(self, cloud, region, gpu):
        found = run(cloud=cloud, region=region, gpu=gpu, nodes=1, price="")

        assert found.interruption is None
        assert way(found, "spot").hours is None
        assert "nobody publishes" in way(found, "spot").note
        assert found.break_even is not None
        assert found.between is None

    def test_a_model_tells_what_its_checkpoint_holds(self):
        found = run(
            gpu="{for_model: {parameters: 7B}, model: H100, count: 8}",
            more="checkpoints: {bucket: data, write: 1GB/s, restart: 10m}",
        )

        assert found.checkpoint_gb == 7 * (2 + 4 + 8)
        assert found.checkpoint_of == "for_model"
        assert found.write_hours == pytest.approx(98 / 3600)
        assert found.unknown == ""

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

        assert outlook(stack, plan, Terms(as_of=TODAY)) == ()

    def test_spot_that_is_not_cheaper_has_no_break_even(self):
        dear = Price(
            cloud="aws",
            item="p5.48xlarge",
            region="us-east-1",
            zone=None,
            mode="spot",
            unit="hour",
            per_unit=Decimal(55),
            currency="USD",
            source="yours",
            as_of="2026-11-01",
            origin="user",
        )
        cheap = replace(dear, mode="on-demand", per_unit=Decimal(30))
        found = run(prices=[dear, cheap], price="max_price: 60")

        assert found.break_even is None


class TestStorage:
    def test_only_what_carries_ip_counts(self):
        assert ip_gbps(room("aws").machine("p5.48xlarge")) == 100
        assert ip_gbps(room("gcp").machine("a3-highgpu-8g")) == 200
        assert ip_gbps(room("azure").machine("Standard_ND96isr_H100_v5")) == 80
        assert ip_gbps(room("aws").machine("g6.xlarge")) == 10

    def test_the_narrowest_is_named(self):
        machine = room("aws").machine("p5.48xlarge")
        slow = storage(machine, 4, None, Decimal(2 * 10**9))
        fast = storage(machine, 4, None, Decimal(60 * 10**9))

        assert slow.network == 50 * 10**9
        assert (slow.narrowest, slow.write_rate) == ("checkpoints.write", 2 * 10**9)
        assert (fast.narrowest, fast.write_rate) == ("the machines' network", 50 * 10**9)

    def test_gpus_starve_when_they_read_more_than_the_network_takes(self):
        machine = room("aws").machine("p5.48xlarge")

        assert storage(machine, 1, Decimal(13 * 10**9), None).starved is True
        assert storage(machine, 1, Decimal(12 * 10**9), None).starved is False
        assert storage(machine, 1, None, None).starved is None
        unknown = replace(machine, network_gbps=None)
        assert storage(unknown, 1, Decimal(1), Decimal(1)).starved is None
        assert storage(unknown, 1, None, Decimal(1)).write_rate == 1


@pytest.mark.parametrize(
    ("mode", "hours_", "paid"),
    [
        ("on-demand", "72", "72"),
        ("capacity-block", "23.5", "24"),
        ("capacity-block", "23.6", "48"),
        ("capacity-block", "340", str(21 * 24)),
        ("capacity-block", "4400", None),
        ("flex-start", "100", "100"),
        ("flex-start", "169", None),
        ("calendar", "24", "24"),
    ],
)
def test_what_is_booked_is_paid_in_days(mode, hours_, paid):
    assert paid_hours(mode, Decimal(hours_)) == (None if paid is None else Decimal(paid))


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
    assert (whole.of, whole.watts) == ("run", 700)


def test_undisturbed_hours_end_with_a_checkpoint():
    assert undisturbed(2.5, Saving(every=1, write=0.1, restart=0)) == pytest.approx(2.8)
