"""The refusal where no machine fits: the nearest machines, and what to request instead."""

from decimal import Decimal

import pytest

from gpuinfra.catalog import NothingFits, Request, choose
from gpuinfra.catalog.sizing.machine_fit import ModelRequest
from gpuinfra.units import Range
from tests.catalog.choosing.asking import ask


@pytest.mark.parametrize(
    ("query", "path", "way_out"),
    [
        (ask("gcp", memory=Range(80 * 10**9, None), nvlink_domain=72), ("gpu",),
         "use another architecture: arm64"),
        (ask(gpu="H100", fabric_speed=10**12), ("gpu", "fabric_speed"),
         "use a slower fabric: 3200Gbps"),
        (ask(gpu="H100", count=8, max_per_hour=Decimal(40)), ("gpu", "max_per_hour"),
         "allow a higher price: $55.04"),
        (ask(gpu="H100", count=3), ("gpu", "count"), "use another count: 1"),
        (
            ask(gpu="H100", count=16),
            ("gpu", "count"),
            "use another count: 8, on 2 machines (nodes: 2)",
        ),
        (
            ask(gpu="H100", count=16, machines=3),
            ("gpu", "count"),
            "use another count: 8, on 6 machines (nodes: 6)",
        ),
        (ask(gpu="H100", count=16, purpose="inference"), ("gpu", "count"),
         "use another count: 8"),
        (ask(gpu="GB200", capacity="spot"), ("gpu",),
         "use another purchase option: capacity-block"),
        (ask(gpu="L4", nvlink=True), ("gpu", "nvlink"), "drop NVLink"),
        (ask(gpu="T4", precision="bf16"), ("gpu", "precision"), "use another precision"),
        (ask(gpu="L4", fabric_kind="efa", count=1, vcpu_per_gpu=10**4), ("gpu", "vcpu_per_gpu"),
         "use fewer vCPUs per GPU: 64"),
        (ask(gpu="L4", count=8, fabric=True, memory=Range(10**11, None)), ("gpu", "memory"),
         "request another GPU memory size: 24GB"),
        (ask(gpu="L4", fabric_kind="efa", count=1, ram_per_gpu=10**15), ("gpu", "ram_per_gpu"),
         "request less machine memory per GPU: 256GiB"),
        (ask(instance="p3.2xlarge"), ("instance",),
         "use another type, or request its GPU: V100-16GB:1"),
        (ask(instance="p5.48xlarge", count=4), ("gpu", "count"), "use another count: 8"),
        (ask(gpu="L4", count=1, machines=1,
             model=ModelRequest(parameters=70 * 10**9, task="train")),
         ("gpu", "for_model"),
         ("use 282 machines, or reduce the model: fewer parameters, a smaller "
             "batch or context")),
    ],
)  # fmt: skip
def test_where_nothing_fits_the_nearest_tells_the_place_and_the_way_out(
    query: Request, path: tuple[str, ...], way_out: str
) -> None:
    with pytest.raises(NothingFits) as caught:
        choose(query)

    (problem,) = caught.value.problems
    assert problem.path == path
    assert caught.value.alternative == way_out
    assert problem.fix.startswith(f"{way_out}; the closest: ")


@pytest.mark.parametrize(
    ("more", "nearest"),
    [
        ({"gpu": "H100", "count": 8, "fabric_speed": 10**12}, "p5.48xlarge"),
        ({"gpu": "L4", "vcpu_per_gpu": 65}, "g6.16xlarge"),
        ({"gpu": "L4", "ram_per_gpu": 2 * 2**40}, "g6.16xlarge"),
        ({"gpu": "H100", "nvlink_domain": 9}, "p5.48xlarge"),
    ],
)
def test_of_those_that_lack_the_same_the_least_off_stands_first(
    more: dict[str, object], nearest: str
) -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(**more))

    assert caught.value.nearest[0].machine == nearest


def test_of_a_type_that_is_named_no_other_is_close() -> None:
    with pytest.raises(NothingFits) as caught:
        choose(ask(instance="p5.48xlarge", count=4))

    assert [nearest.machine for nearest in caught.value.nearest] == ["p5.48xlarge"]
