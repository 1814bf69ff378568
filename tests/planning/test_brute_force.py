"""`cloud: any`: the choice is that of trying every way."""

import itertools
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuinfra.catalog import CATALOG
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import InputError
from gpuinfra.planning import from_stack
from tests.planning.anywhere import REGIONS, any_of, recent_spot, refused, stack

WORKS = st.fixed_dictionaries(
    {
        "gpu": st.sampled_from(["T4:1", "L4:1", "H100:8", "A100-80GB:8", "V100:8", "T4:2"]),
        "nodes": st.sampled_from([1, 2, 5]),
        "capacity": st.sampled_from([["spot"], ["on-demand"], ["spot", "on-demand"]]),
        "fabric": st.sampled_from(["preferred", "none"]),
        "data": st.lists(st.sampled_from(["one", "two"]), max_size=2, unique=True),
    }
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(WORKS, min_size=1, max_size=3),
    st.permutations(list(CLOUDS)),
    st.sampled_from([None, *REGIONS.values()]),
)
def test_the_choice_is_that_of_brute_force(
    works: list[dict[str, Any]], order: list[str], region: str | None
) -> None:
    training = {
        f"w{number}": {**work, "data": [{"bucket": name} for name in work["data"]]}
        for number, work in enumerate(works)
    }
    buckets: dict[str, Any] = {"one": {"region": region} if region else {}, "two": {}}
    where = any_of(*(REGIONS[cloud] for cloud in order))
    cheapest = brute(training, region)

    made = stack(where=where, training=training, buckets=buckets)
    if cheapest is None:
        assert refused(made)
    else:
        assert {group.name: group.cloud for group in from_stack(made).groups} == cheapest


def brute(training: dict[str, Any], region: str | None) -> dict[str, str] | None:
    """The best of all ways to give each workload a cloud; None where none holds them all."""
    alone = {
        (name, cloud): _alone(name, work, cloud)
        for name, work in training.items()
        for cloud in CLOUDS
    }
    ranked = [
        (tuple(map(sum, zip(*(alone[name] for name in way), strict=True))), way)
        for clouds in itertools.product(CLOUDS, repeat=len(training))
        for way in [tuple(zip(training, clouds, strict=True))]
        if all(alone[name] is not None for name in way) and _joined(dict(way), training, region)
    ]
    return dict(min(ranked)[1]) if ranked else None


def _joined(way: dict[str, str], training: dict[str, Any], region: str | None) -> bool:
    for bucket in ("one", "two"):
        clouds = {
            way[name]
            for name, work in training.items()
            if bucket in [mount["bucket"] for mount in work["data"]]
        }
        demanded = {cloud for cloud, its in REGIONS.items() if its == region and bucket == "one"}
        if len(clouds) > 1 or (clouds and demanded and clouds != demanded):
            return False
    return True


def _alone(name: str, work: dict[str, Any], cloud: str) -> tuple[Any, ...] | None:
    """What ranks a workload on a cloud: unpriced parts, a fabric of use, price, order."""
    where = {"cloud": cloud, "regions": [REGIONS[cloud]]}
    try:
        plan = from_stack(stack(where=where, training={name: {**work, "data": []}}))
    except InputError:
        return None
    (group,) = plan.groups
    first = group.rungs[0]
    listed = CATALOG.on_demand(cloud, first.machine, first.region)
    price = listed.per_unit if listed else None
    if first.capacity == "spot":
        price = recent_spot(cloud, first.machine, first.region, first.zones)
    lacking = [
        item
        for item in plan.items
        if item.quantity is not None and CATALOG.service(cloud, item.item, first.region) is None
    ]
    return (
        len(lacking) + (price is None),
        int(group.fabric is None or group.fabric.driver_image is False),
        (price or Decimal(0)) * work["nodes"],
        CLOUDS.index(cloud),
    )
