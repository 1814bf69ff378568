"""What machines are ranked by, against figures worked out by hand."""

from decimal import Decimal

import pytest

from gpuinfra.catalog import Book, Candidate, Request, choose
from gpuinfra.model import Price


def ask(**more: object) -> Request:
    return Request(**{"clouds": ("aws",), "regions": ("us-east-1",), **more})


def first(book: Book | None = None, **more: object) -> Candidate:
    return choose(ask(**more), book or Book()).winner


def row(mode: str = "on-demand", *, per_unit: str, **more: object) -> Price:
    return Price(
        **{
            "cloud": "aws",
            "item": "p5.48xlarge",
            "region": "us-east-1",
            "zone": None,
            "mode": mode,
            "unit": "hour",
            "per_unit": Decimal(per_unit),
            "currency": "USD",
            "source": "yours",
            "as_of": "",
            "origin": "user",
            **more,
        }
    )


@pytest.mark.parametrize(
    ("more", "figure"),
    [
        ({"by": "hour"}, Decimal("55.04")),
        ({"by": "hour", "machines": 4}, Decimal("220.16")),
        ({"by": "run", "hours": Decimal(72), "machines": 4}, Decimal("15851.52")),
        ({"by": "tflops"}, Decimal("55.04") / (8 * 989)),
        ({"by": "tflops", "precision": "fp8"}, Decimal("55.04") / (8 * 1979)),
        ({"by": "memory"}, Decimal("0.086")),
        ({"by": "bandwidth"}, Decimal("55.04") / (8 * 3350)),
    ],
)
def test_a_figure_is_that_of_the_table(more: dict[str, object], figure: Decimal) -> None:
    assert first(instance="p5.48xlarge", **more).figure == figure


def test_a_part_of_a_gpu_has_the_memory_that_is_given_for_the_part() -> None:
    one = first(instance="g6f.large", by="memory")

    assert one.per_hour is not None
    assert one.figure == one.per_hour / 3


def test_what_is_not_known_ranks_last_and_never_as_nothing() -> None:
    ranked = choose(ask(memory=None, instance=None, count=1, by="tflops")).ranked
    known = [one.figure is not None for one in ranked]

    assert known == sorted(known, reverse=True)
    assert {one.machine.gpu for one in ranked if one.figure is None} >= {"T4"}


def test_a_commitment_is_paid_for_its_whole_term() -> None:
    book = Book([row("reserved-1y", per_unit="20")])
    asked = {"instance": "p5.48xlarge", "by": "run", "commitment": "reserved-1y"}

    assert first(book, hours=Decimal(72), **asked).figure == 20 * 8760
    assert first(book, hours=Decimal(9000), **asked).figure == 20 * 9000


def test_later_tiers_count_in_the_cost_of_a_run() -> None:
    tiers = ((Decimal(720), Decimal("2.38")),)
    book = Book([row(per_unit="2.80", tiers=tiers)])

    one = first(book, instance="p5.48xlarge", by="run", hours=Decimal(1000))

    assert one.figure == Decimal("2.80") * 720 + Decimal("2.38") * 280
    assert one.per_hour == Decimal("2.80")


def test_the_cheapest_commitment_of_a_length_is_taken() -> None:
    rows = [row("reserved-1y", per_unit="30"), row("savings-1y", per_unit="25")]

    one = first(Book(rows), instance="p5.48xlarge", commitment="1y")

    assert (one.per_hour, one.mode) in {
        (Decimal(25), "savings-1y"),  # where the room knows savings plans
        (Decimal(30), "reserved-1y"),
    }


def test_equal_figures_are_ranked_by_what_they_cost_then_by_name() -> None:
    ranked = choose(ask(gpu="L4", by="memory", count=1)).ranked
    keys = [(one.figure, one.together, one.machine.type) for one in ranked if one.figure]

    assert keys == sorted(keys)
