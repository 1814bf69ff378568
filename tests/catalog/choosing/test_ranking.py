"""What machines are ranked by, against figures worked out by hand."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import Candidate, NothingFits, OfferedMachines, PriceBook, Request, choose
from gpuinfra.catalog.sizing.machine_fit import ModelRequest
from gpuinfra.clouds import priced_cloud_of
from gpuinfra.model import Price
from tests.catalog.choosing.asking import ask


def first(book: PriceBook | None = None, **more: object) -> Candidate:
    return choose(ask(**more), book or PriceBook()).winner


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
    part = first(instance="g6f.large", by="memory")

    assert part.per_hour is not None
    assert part.figure == part.per_hour / 3


def test_what_is_not_known_ranks_last_and_never_as_nothing() -> None:
    ranked = choose(ask(memory=None, instance=None, count=1, by="tflops")).ranked
    known = [candidate.figure is not None for candidate in ranked]

    assert known == sorted(known, reverse=True)
    assert {candidate.machine.gpu for candidate in ranked if candidate.figure is None} >= {"T4"}


def test_a_commitment_is_paid_for_its_whole_term() -> None:
    book = PriceBook([row("reserved-1y", per_unit="20")])
    words = {"instance": "p5.48xlarge", "by": "run", "commitment": "reserved-1y"}

    assert first(book, hours=Decimal(72), **words).figure == 20 * 8760
    assert first(book, hours=Decimal(9000), **words).figure == 20 * 9000


def test_later_tiers_count_in_the_cost_of_a_run() -> None:
    tiers = ((Decimal(720), Decimal("2.38")),)
    book = PriceBook([row(per_unit="2.80", tiers=tiers)])

    winner = first(book, instance="p5.48xlarge", by="run", hours=Decimal(1000))

    assert winner.figure == Decimal("2.80") * 720 + Decimal("2.38") * 280
    assert winner.per_hour == Decimal("2.80")


def test_the_cheapest_commitment_of_a_length_is_taken() -> None:
    rows = [row("reserved-1y", per_unit="30"), row("savings-1y", per_unit="25")]

    winner = first(PriceBook(rows), instance="p5.48xlarge", commitment="1y")

    assert (winner.per_hour, winner.mode) == (Decimal(25), "savings-1y")


def test_equal_figures_are_ranked_by_what_they_cost_then_by_name() -> None:
    ranked = choose(ask(gpu="L4", by="memory", count=1)).ranked
    keys = [
        (candidate.figure, candidate.all_machines_per_hour, candidate.machine.type)
        for candidate in ranked
        if candidate.figure
    ]

    assert keys == sorted(keys)


def test_a_price_in_dollars_comes_before_a_lower_number_of_another_currency() -> None:
    rows = [
        row("reserved-1y", per_unit="1.5"),
        row("savings-1y", per_unit="1.2", currency="CNY"),
    ]

    winner = first(PriceBook(rows), instance="p5.48xlarge", commitment="1y")

    assert (winner.per_hour, winner.currency, winner.mode) == (
        Decimal("1.5"),
        "USD",
        "reserved-1y",
    )


TRAINED = ModelRequest(parameters=7 * 10**9, task="fine-tune")


def pair(**more: object) -> list[tuple[str, bool | None]]:
    """Two machines as good as each other, of which one costs more and has `more`."""
    known = priced_cloud_of("aws").machines.get("g6.8xlarge")
    assert known is not None
    bare = {"fabric": None, "fabric_interfaces": 0, "fabric_gbps": None}
    slow = {**bare, "network_gbps": Decimal(25), "network_sustained_gbps": None}
    cheap = replace(known, type="cheap", **slow)
    dear = replace(known, type="dear", **{**slow, **more})
    rows = [row(item="cheap", per_unit="1"), row(item="dear", per_unit="2")]
    request = ask(memory=None, gpu="L4", model=TRAINED)
    ranked = choose(request, PriceBook(rows), OfferedMachines({"aws": (cheap, dear)})).ranked
    assert {candidate.machines > 1 for candidate in ranked} == {True}
    return [(candidate.machine.type, candidate.connected) for candidate in ranked]


@pytest.mark.parametrize(
    ("more", "ranked"),
    [
        ({}, [("cheap", False), ("dear", False)]),
        ({"network_gbps": Decimal(100)}, [("dear", True), ("cheap", False)]),
        ({"network_gbps": Decimal(99)}, [("cheap", False), ("dear", False)]),
        ({"network_gbps": None}, [("dear", None), ("cheap", False)]),
        ({"fabric_interfaces": None}, [("dear", None), ("cheap", False)]),
        ({"fabric": "efa", "fabric_interfaces": 1}, [("dear", True), ("cheap", False)]),
        (
            {"network_gbps": Decimal(100), "network_sustained_gbps": Decimal(50)},
            [("cheap", False), ("dear", False)],
        ),
    ],
)
def test_machines_that_train_together_rank_by_their_network_first(
    more: dict[str, object], ranked: list[tuple[str, bool | None]]
) -> None:
    assert pair(**more) == ranked


def test_machines_that_serve_need_no_network_between_them() -> None:
    wish = ModelRequest(parameters=7 * 10**9, task="serve")
    ranked = choose(ask(gpu="L4", model=wish, machines=4)).ranked

    assert {candidate.machines for candidate in ranked} == {4}
    assert {candidate.connected for candidate in ranked} == {True}


def test_a_whole_model_on_one_machine_ranks_before_many_without_a_network() -> None:
    clouds = ("aws", "gcp", "azure", "lambda")
    regions = tuple(dict.fromkeys(priced_cloud_of(cloud).regions.default for cloud in clouds))
    wish = ModelRequest(parameters=70 * 10**9, task="train")

    ranked = choose(Request(clouds=clouds, regions=regions, model=wish)).ranked
    winner, cheapest = (
        ranked[0],
        min(ranked, key=lambda candidate: candidate.all_machines_per_hour or 10**9),
    )

    whole = next(candidate for candidate in ranked if candidate.machine.type == "gpu_8x_b200_sxm6")
    assert winner.buildable
    assert winner.connected
    assert whole.machines == 1
    assert ranked.index(whole) < ranked.index(cheapest)
    assert cheapest.machines > 1
    assert cheapest.connected is not True


def test_an_unknown_price_still_ranks_last_whatever_the_network() -> None:
    known = priced_cloud_of("aws").machines.get("g6.8xlarge")
    assert known is not None
    slow = replace(known, type="slow", fabric=None, fabric_interfaces=0, fabric_gbps=None)
    request = ask(gpu="L4", model=TRAINED)
    book = PriceBook([row(item="slow", per_unit="1")])

    ranked = choose(
        request, book, OfferedMachines({"aws": (replace(known, type="joined"), slow)})
    ).ranked

    assert [candidate.machine.type for candidate in ranked] == ["slow", "joined"]


def test_on_spot_a_ceiling_holds_for_what_spot_may_cost_where_no_maximum_is_taken() -> None:
    """Spot of g2-standard-4 costs far less today than on demand, which it may rise to."""
    request = ask("gcp", capacity="spot", instance="g2-standard-4")
    today, ceiling = Decimal(choose(request).winner.per_hour or 0), Decimal("0.7068")

    with pytest.raises(NothingFits) as caught:
        choose(replace(request, max_per_hour=(today + ceiling) / 2))
    assert "may cost $0.71 an hour on spot, more than" in caught.value.problems[0].fix
    assert choose(replace(request, max_per_hour=ceiling + 1)).winner.per_hour == today


def test_a_base_on_demand_is_held_by_the_ceiling_too() -> None:
    request = ask("aws", capacity="spot", instance="g6.xlarge", max_per_hour=Decimal("0.5"))

    assert choose(request).winner.per_hour
    with pytest.raises(NothingFits) as caught:
        choose(replace(request, base=True))
    assert "costs $0.80 an hour on demand, more than $0.50" in caught.value.problems[0].fix


def test_a_maximum_of_the_request_settles_what_spot_may_cost() -> None:
    request = ask("aws", capacity="spot", instance="p5.48xlarge", max_per_hour=Decimal(30))

    for most in (Decimal(25), Decimal(30)):
        assert choose(replace(request, max_price=most)).winner.machine.type == "p5.48xlarge"
    for above in (None, Decimal(31)):
        with pytest.raises(NothingFits):
            choose(replace(request, max_price=above))
