from decimal import Decimal

import pytest

from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of


@pytest.mark.parametrize(
    ("machine", "region", "low", "high"),
    [
        ("p5.48xlarge", "us-east-1", "0.2", None),
        ("dl1.24xlarge", "us-west-2", "0", "0.05"),
        ("dl1.24xlarge", "us-east-1", "0.1", "0.15"),
        ("dl2q.24xlarge", "eu-central-1", "0.15", "0.2"),
        ("dl2q.24xlarge", "us-west-2", "0.05", "0.1"),
    ],
)
def test_a_bucket_bounds_the_share_that_was_interrupted(machine, region, low, high) -> None:
    interruption = priced_cloud_of("aws").prices.interruption(machine, region)

    assert interruption.low == Decimal(low)
    assert interruption.high == (None if high is None else Decimal(high))
    assert (interruption.machine, interruption.region, interruption.as_of) == (
        machine,
        region,
        "2025-06-28",
    )
    assert "Spot Advisor" in interruption.source


@pytest.mark.parametrize(
    ("machine", "region"), [("p5.48xlarge", "eu-west-3"), ("p9.48xlarge", "us-east-1")]
)
def test_what_the_advisor_does_not_list_is_unknown(machine: str, region: str) -> None:
    assert priced_cloud_of("aws").prices.interruption(machine, region) is None


def test_every_row_of_the_advisor_is_there() -> None:
    known = priced_cloud_of("aws")
    rows = [
        read
        for machine in known.machines.all_machines()
        for region in known.regions.all()
        if (read := known.prices.interruption(machine.type, region)) is not None
    ]

    assert len(rows) == 824


def test_no_other_cloud_publishes_any() -> None:
    for cloud in set(PRICED_CLOUDS) - {"aws"}:
        known = priced_cloud_of(cloud)

        assert (
            known.prices.interruption(known.machines.all_machines()[0].type, known.regions.default)
            is None
        )
