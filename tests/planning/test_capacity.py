"""Reservations and capacity blocks on the ladder: what a rung carries, costs and places."""

from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.catalog import PriceBook
from gpuinfra.cost import PricingTerms, estimate
from gpuinfra.cost.capacity_block_end import block_misfit
from gpuinfra.errors import InputError
from gpuinfra.model import Group, Plan, Price
from gpuinfra.planning import from_stack
from gpuinfra.rules import fabric_placement
from gpuinfra.rules.rule import RuleInput
from gpuinfra.stackfile import loads

TODAY = date(2026, 11, 21)
RESERVATION = "cr-0123456789abcdef0"
BLOCK = f"{{capacity-block: {{reservation: {RESERVATION}, ends: 2026-12-01T11:30Z}}}}"
HELD = f"{{reserved: {{reservation: {RESERVATION}}}}}"
PLACED = f"{{reserved: {{reservation: {RESERVATION}, placement_group: theirs}}}}"
KEPT = "{on-demand: {reserve: true}}"


def planned(
    *capacity: str,
    machine: str = "p5.48xlarge",
    nodes: int = 2,
    region: str = "us-east-1",
    duration: str = "10h",
    rungs: dict[str, str] | None = None,
) -> Plan:
    text = f"""\
version: 1
name: capacity
owner: ml-platform
budget: {{per_hour: 5000}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [{region}]}}
training:
  trainer:
    instance: {machine}
    nodes: {nodes}
    capacity: [{", ".join(capacity)}]
    duration: {duration}
"""
    return from_stack(loads(text).stack, rungs=rungs or {})


def trainer(*capacity: str, **more: object) -> Group:
    (group,) = planned(*capacity, **more).groups  # type: ignore[arg-type]
    return group


def refused(*capacity: str, **more: object) -> str:
    with pytest.raises(InputError) as caught:
        planned(*capacity, **more)  # type: ignore[arg-type]
    return "\n".join(str(problem) for problem in caught.value.problems)


def own(mode: str, price: str) -> PriceBook:
    """A price book with the user's own price of the machine."""
    row = Price(
        cloud="aws",
        item="p5.48xlarge",
        region="us-east-1",
        zone=None,
        mode=mode,
        unit="hour",
        per_unit=Decimal(price),
        currency="USD",
        source="yours",
        as_of="2026-11-01",
        origin="user",
    )
    return PriceBook([row])


def each(plan: Plan, book: PriceBook | None = None) -> Decimal | None:
    """What one machine of the first rung costs an hour."""
    terms = PricingTerms(
        as_of=TODAY, accept_outdated=True, **({} if book is None else {"prices": book})
    )
    return estimate(plan, terms).rungs[0].node_rate


def test_a_rung_carries_what_its_step_says() -> None:
    kept, block, placed = trainer(KEPT, BLOCK, PLACED).rungs

    assert (kept.label, kept.reserve, kept.reservation) == ("on-demand@us-east-1", True, None)
    assert (block.label, block.reservation) == ("capacity-block@us-east-1", RESERVATION)
    assert block.ends == "2026-12-01T11:30:00+00:00"
    assert (placed.label, placed.placement_group) == ("reserved@us-east-1", "theirs")


def test_two_ways_of_one_label_are_not_told_apart_silently() -> None:
    assert "twice" in refused(KEPT, "on-demand")


def test_a_region_of_its_own_stands_once_among_several() -> None:
    group = trainer("{spot: {region: us-west-2}}", "on-demand", region="us-east-1, us-east-2")

    assert [rung.label for rung in group.rungs] == [
        "spot@us-west-2",
        "on-demand@us-east-1",
        "on-demand@us-east-2",
    ]


def test_reserved_machines_cost_the_on_demand_rate_and_say_so() -> None:
    quote = estimate(planned(HELD), PricingTerms(as_of=TODAY, accept_outdated=True))
    (line,) = [line for line in quote.lines if line.item == "p5.48xlarge"]

    assert each(planned(HELD)) == each(planned("on-demand")) == each(planned(KEPT))
    assert line.kind == "reserved"
    assert "counts at the on-demand rate" in line.note
    assert "a reservation is billed until it is cancelled," in line.note


def test_a_price_of_the_users_for_reserved_comes_first() -> None:
    assert each(planned(HELD), own("reserved", "31")) == 31
    assert each(planned(HELD), own("on-demand", "44")) == 44
    assert each(planned(KEPT), own("reserved", "31")) == each(planned(KEPT))


def test_a_block_costs_its_own_rate_and_says_that_it_is_paid_already() -> None:
    quote = estimate(planned(BLOCK), PricingTerms(as_of=TODAY, accept_outdated=True))
    (line,) = [line for line in quote.lines if line.item == "p5.48xlarge"]

    assert (line.kind, line.rate) == ("capacity-block", Decimal("41.528"))
    assert (
        "a capacity block is billed in full when it is bought, and gpuinfra does not buy it"
        in line.note
    )


def test_a_block_without_a_known_price_fails_closed() -> None:
    quote = estimate(
        planned(BLOCK, region="ca-central-1"), PricingTerms(as_of=TODAY, accept_outdated=True)
    )

    assert quote.rungs[0].node_rate is None
    assert "no capacity-block price for p5.48xlarge in ca-central-1" in quote.unpriced[0]


@pytest.mark.parametrize(
    ("capacity", "machine", "words"),
    [
        (BLOCK, "g6.8xlarge", "is not offered as capacity-block, only as on-demand, spot"),
        (HELD, "p6e-gb200.36xlarge", "is not offered as on-demand, only as capacity-block"),
        ("spot", "p6e-gb200.36xlarge", "is not offered as spot, only as capacity-block"),
    ],
)
def test_a_machine_that_is_not_sold_so_is_refused_in_words(capacity, machine, words) -> None:
    assert words in refused(capacity, machine=machine, nodes=1)


def test_a_fabric_is_placed_as_the_rung_is() -> None:
    labels = [rung.label for rung in trainer(BLOCK, "on-demand", HELD).rungs]
    groups = [standing(label, BLOCK, "on-demand", HELD) for label in labels]

    assert [placement(group) for group in groups] == [None, "cluster", None]


def standing(label: str, *capacity: str) -> Group:
    (group,) = planned(*capacity, rungs={"trainer": label}).groups
    return group


def placement(group: Group) -> object:
    assert group.fabric is not None
    return group.fabric.placement


@pytest.mark.parametrize(
    ("duration", "today", "words"),
    [
        ("10h", date(2026, 11, 21), ""),
        ("300h", date(2026, 11, 21), "at most 250.75 hours remain"),
        ("15045m", date(2026, 11, 21), ""),
        ("15046m", date(2026, 11, 21), "starts 0.75 hours before"),
        ("300h", date(2026, 11, 10), ""),
        ("1h", date(2026, 12, 2), "ended on 2026-12-01 11:30 UTC"),
    ],
)
def test_a_run_ends_before_its_block(duration, today, words) -> None:
    message = block_misfit(trainer(BLOCK, duration=duration), today)

    assert words in message
    assert bool(message) is bool(words)


def test_only_blocks_have_an_end() -> None:
    assert block_misfit(trainer("on-demand", duration="9999h"), TODAY) == ""


def test_a_reservation_that_nobody_places_is_told_with_the_way_out() -> None:
    judged = RuleInput(plan=planned(HELD), quote=None, today=TODAY, machines={})
    (finding,) = fabric_placement.RULE.check(judged, {})

    assert finding.outcome == "violated"
    assert "placement_group" in finding.fix
