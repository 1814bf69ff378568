"""Networks that workloads share, on every rung that a workload may step onto."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gpuinfra import cost, lock, source
from gpuinfra.api.checking import check_stack
from gpuinfra.cost.breakdown import fallbacks
from gpuinfra.cost.networks import CheapestRest, Choice, Place, cheapest, highest_sum
from tests.lock.conftest import DAY, made

NETWORK = Decimal("0.045") + Decimal("0.005")
"""A NAT gateway and its address, an hour."""

STACK = """\
version: 1
name: two
owner: ml-platform
budget: {{per_hour: {cap}, per_month: 9000, notify: [ml-platform@example.com]}}
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
network: {network}
training:
{training}
"""
POOL = """\
inference:
  chat:
    gpu: L4:1
    replicas: 1
    image: vllm/vllm-openai:v0.11.0
    port: 8000
    where: {cloud: aws, regions: [us-east-1]}
"""
RUN = """\
  {name}:
    instance: g6.xlarge
    time_to_live: 5h
    where: {{cloud: aws, regions: [us-east-1, us-west-2]}}
    capacity: {capacity}
"""
FALLBACK = "[{on-demand: {region: us-east-1}}, {on-demand: {region: us-west-2}}]"
WEST = "[{on-demand: {region: us-west-2}}]"
MOVING_POOL = POOL.replace("[us-east-1]", "[us-east-1, us-west-2]")
SHARED = "{shared: true}"
CLOSED = "{shared: true, nat: false}"
OWN_IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/team/model:v3"
PUBLIC_IMAGE = "vllm/vllm-openai:v0.11.0"


def written(*ladders: str, cap: str = "20", pool: str = POOL, network: str = SHARED) -> str:
    training = "".join(
        RUN.format(name=f"run{index}", capacity=ladder) for index, ladder in enumerate(ladders)
    )
    text = STACK.format(cap=cap, network=network, training=training)
    return text + (pool if network != CLOSED else pool.replace(PUBLIC_IMAGE, OWN_IMAGE))


@pytest.fixture
def checked(tmp_path: Path) -> Callable[..., Any]:
    def of(text: str, **rungs: str) -> Any:
        file = tmp_path / "stack.yaml"
        file.write_text(text)
        return check_stack(file, rungs, DAY)

    return of


@pytest.fixture
def quoted(checked: Callable[..., Any]) -> Callable[..., Any]:
    return lambda text, **rungs: checked(text, **rungs).quote


def refused(check: Any) -> bool:
    return any(finding.rule == "cap-per-hour" and finding.refuses for finding in check.findings)


def test_a_fallback_to_another_region_counts_the_network_that_it_adds(quoted: Any) -> None:
    fallback, fixed = quoted(written(FALLBACK)), quoted(written(WEST))
    east, west = fallback.rungs[:2]

    assert fallback.per_hour.ceiling == fixed.per_hour.ceiling
    assert fallback.per_month.ceiling == fixed.per_month.ceiling
    assert fallback.per_hour.ceiling - fallback.per_hour.active == NETWORK
    assert west.per_hour - east.per_hour == NETWORK


def test_a_cap_between_one_network_and_two_leaves_the_fallback_out(checked: Any) -> None:
    most = checked(written(FALLBACK)).quote.per_hour.ceiling
    cap = str(most - NETWORK / 2)
    check = checked(written(FALLBACK, cap=cap))
    struck = {rung.rung.region: rung.skip_reason for rung in check.quote.rungs[:2]}

    assert struck["us-east-1"] is None
    assert "with the rest of the stack" in struck["us-west-2"]
    assert check.quote.per_hour.ceiling == most - NETWORK
    assert not refused(check)


def test_a_fallback_that_may_stand_beside_either_network_counts_both(checked: Any) -> None:
    """The pool may move, too, so that no rung is over the cap by itself."""
    most = checked(written(FALLBACK, pool=MOVING_POOL)).quote.per_hour.ceiling
    check = checked(written(FALLBACK, pool=MOVING_POOL, cap=str(most - NETWORK / 2)))

    assert refused(check)


def test_a_lone_workload_leaves_its_network_behind(quoted: Any) -> None:
    quote = quoted(written(FALLBACK, pool=""))

    assert quote.per_hour.ceiling == quote.per_hour.active


def test_a_network_of_its_own_moves_with_its_workload(quoted: Any) -> None:
    quote = quoted(written(FALLBACK, network="{nat: true}"))

    assert quote.per_hour.ceiling == quote.per_hour.active


def labels_of(quote: Any) -> dict[str, list[str]]:
    """The labels of each workload's rungs."""
    labels: dict[str, list[str]] = {}
    for rung in quote.rungs:
        labels.setdefault(rung.group, []).append(rung.rung.label)
    return labels


@pytest.mark.parametrize(
    ("ladders", "pool", "network"),
    [
        ([FALLBACK], POOL, SHARED),
        ([FALLBACK], POOL, CLOSED),
        ([FALLBACK, FALLBACK], POOL, SHARED),
        ([FALLBACK, FALLBACK], POOL, CLOSED),
        ([FALLBACK, WEST], POOL, SHARED),
        ([FALLBACK, FALLBACK], "", SHARED),
        ([FALLBACK], MOVING_POOL, SHARED),
    ],
)
def test_the_dearest_combination_of_rungs_is_the_ceiling(
    ladders: list[str], pool: str, network: str, quoted: Any
) -> None:
    text = written(*ladders, pool=pool, network=network)
    whole = quoted(text)
    labels = labels_of(whole)
    each = [
        quoted(text, **dict(zip(labels, named, strict=True)))
        for named in product(*labels.values())
    ]

    for span in ("per_hour", "per_month"):
        most = max(getattr(quote, span).ceiling for quote in each)
        assert most == pytest.approx(getattr(whole, span).ceiling, rel=Decimal("1e-20"))
    for quote in each:
        assert quote.per_hour.ceiling == quote.per_hour.active


def test_a_zone_that_a_fallback_adds_to_a_closed_network_counts(quoted: Any) -> None:
    """An endpoint costs for each zone: the pool is in two of the region, the run in a third."""
    west_first = "[{on-demand: {region: us-west-2}}, {on-demand: {region: us-east-1}}]"
    zones = "us-west-2], zones: [us-east-1c, us-west-2a]}"
    text = written(west_first, WEST, network=CLOSED).replace("us-west-2]}", zones, 1)
    whole, without = quoted(text), quoted(written(WEST, WEST, network=CLOSED))
    west, east = (quoted(text, run0=label) for label in labels_of(whole)["run0"])

    assert west.per_hour.ceiling == without.per_hour.ceiling
    assert east.per_hour.ceiling > west.per_hour.ceiling
    assert whole.per_hour.ceiling == east.per_hour.ceiling
    assert whole.per_hour.active == west.per_hour.active


def test_what_goes_through_the_gateway_counts_once_where_it_is_stated(quoted: Any) -> None:
    text = written(FALLBACK) + "usage: {nat_data: 2TB}\n"

    assert [line.status for line in quoted(text).lines if line.item == "nat-gateway-data"] == [
        "priced"
    ]


@pytest.mark.parametrize("ladders", [[FALLBACK], [FALLBACK, FALLBACK]])
def test_lines_and_fallbacks_add_up_to_the_ceiling(ladders: list[str], quoted: Any) -> None:
    quote = quoted(written(*ladders))
    parts = fallbacks(quote)

    for span in ("per_hour", "per_month"):
        lines = sum(getattr(line, span) or Decimal(0) for line in quote.lines)
        more = sum(getattr(part, span) for part in parts)
        assert more > 0
        assert lines + more == pytest.approx(getattr(quote, span).ceiling, rel=Decimal("1e-20"))


def test_a_lock_holds_the_prices_of_the_network_that_a_fallback_adds(tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(written(FALLBACK))
    lock.write(made(file), lock.lock_path(file))
    read, plan = source.read(file, {})
    assert read.valid_lock is not None
    quote = cost.estimate(plan, read.terms(DAY))

    assert {
        row.region for row in read.valid_lock.others.prices if row.item == "nat-gateway-hour"
    } == {
        "us-east-1",
        "us-west-2",
    }
    assert read.valid_lock.totals.per_hour == quote.per_hour
    terms = replace(read.terms(DAY), prices=read.current_prices)
    assert not list(lock.inconsistent_values(read.valid_lock, read.stack, plan, terms))


def combinations(groups: list[list[Choice]], networks: dict[Place, Decimal]) -> list[Decimal]:
    """What each combination costs, one by one."""
    return [
        sum((cost for _, cost in chosen), Decimal(0))
        + sum(networks[place] for place in {place for place, _ in chosen} if place)
        for chosen in product(*groups)
    ]


@pytest.mark.parametrize("regions", [1, 3, 8, 9, 20])
@pytest.mark.parametrize("seed", range(10))
def test_no_combination_is_above_the_dearest_or_below_the_cheapest(
    regions: int, seed: int
) -> None:
    random = Random(seed)
    places = [("aws", f"region-{index}") for index in range(regions)]
    networks = {place: Decimal(random.randint(0, 9)) for place in places}
    groups: list[list[Choice]] = [
        [(place, Decimal(random.randint(0, 9))) for place in random.sample(places, len(places))]
        for _ in range(3)
    ]
    groups.append([(None, Decimal(random.randint(0, 9))) for _ in range(2)])
    each = combinations(groups, networks)

    assert highest_sum(groups, networks) >= max(each)
    assert cheapest(groups, networks) <= min(each)
    if regions <= 8:
        assert (highest_sum(groups, networks), cheapest(groups, networks)) == (
            max(each),
            min(each),
        )
    rest = CheapestRest({str(number): group for number, group in enumerate(groups)}, networks)
    for number, group in enumerate(groups):
        others = [*groups[:number], *groups[number + 1 :]]
        for place, _ in group:
            least = cheapest([[(place, Decimal())], *others], networks)
            assert rest.cost_of_others(str(number), place) == least
    assert rest.cost_of_others("", None) == cheapest(groups, networks)
