"""Where checkpoints are written, and how long that takes."""

from dataclasses import replace
from decimal import Decimal

from gpuinfra.clouds import provider_of
from gpuinfra.cost.storage_throughput import ip_gbps, storage
from tests.cost.outlooks import run


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
