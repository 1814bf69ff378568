from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG, Book
from gpuinfra.cost.commitments import commitments, term_hours
from gpuinfra.model import Price


def row(mode: str, per_hour: str, **more: str) -> Price:
    return Price(
        cloud="aws",
        item="p3.2xlarge",
        region="us-east-1",
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(per_hour),
        currency="USD",
        source="the guide",
        as_of="2026-10-01",
        origin="user",
        **more,
    )


GUIDE = Book([row("on-demand", "3.06"), row("reserved-1y", "1.38")])


def test_the_guides_figures_come_out() -> None:
    listed, found = commitments("aws", "p3.2xlarge", "us-east-1", GUIDE)
    one = next(way for way in found if way.mode == "reserved-1y")

    assert listed is not None
    assert listed.per_unit * 8760 == Decimal("26805.60")
    assert one.total == Decimal("12088.80")
    assert one.break_even.quantize(Decimal("0.01")) == Decimal("3950.59")
    assert one.saves.quantize(Decimal("0.001")) == Decimal("0.549")


@pytest.mark.parametrize(
    ("mode", "hours"),
    [
        ("reserved-1y", 8760),
        ("reserved-3y", 26280),
        ("savings-3y", 26280),
        ("subscription-1mo", 730),
        ("on-demand", None),
        ("capacity-block", None),
    ],
)
def test_a_mode_names_its_term(mode: str, hours: int | None) -> None:
    assert term_hours(mode) == hours


def test_the_cheapest_hour_stands_first_and_a_dearer_one_never_pays() -> None:
    _, found = commitments("aws", "p5.48xlarge", "us-east-1", CATALOG)

    assert [one.mode for one in found] == ["reserved-3y", "reserved-1y"]
    assert found[1].pays_from > 1
    assert found[1].saves < 0


def test_without_an_on_demand_price_nothing_is_compared() -> None:
    assert commitments("aws", "p5e.48xlarge", "us-east-1", CATALOG) == (None, ())
