from decimal import Decimal

from gpuinfra.clouds import priced_cloud_of

LAMBDA = priced_cloud_of("lambda")


def test_one_price_for_all_regions() -> None:
    for machine in LAMBDA.machines.all_machines():
        rows = [
            row
            for at in LAMBDA.regions.all()
            for row in LAMBDA.prices.rows(machine.type, at, "on-demand")
        ]

        assert len(rows) == len(LAMBDA.regions.all()) == 17
        assert len({row.per_unit for row in rows}) == 1
        assert {row.currency for row in rows} == {"USD"}


def test_eight_b200() -> None:
    machine = LAMBDA.machines.get("gpu_8x_b200_sxm6")
    (row,) = LAMBDA.prices.rows(machine.type, "us-east-1", "on-demand")

    assert (machine.gpu, machine.gpu_count, machine.nvlink_domain) == ("B200-SXM-180GB", 8, 8)
    assert (row.per_unit, row.as_of) == (Decimal("53.52"), "2026-09-20")


def test_whether_bridges_join_pcie_cards_is_unknown() -> None:
    machine = LAMBDA.machines.get("gpu_4x_a100")

    assert (machine.nvlink, machine.nvlink_domain) == (None, None)


def test_whole_machines_on_demand_and_nothing_else() -> None:
    assert LAMBDA.prices.modes() == ("on-demand",)
    assert LAMBDA.prices.service_items() == ()
    assert {machine.usage_classes for machine in LAMBDA.machines.all_machines()} == {
        ("on-demand",)
    }
    assert {machine.fabric for machine in LAMBDA.machines.all_machines()} == {None}
