"""A fix moves a stack to other regions; to another continent only as something given up."""

from typing import Any

import pytest

from gpuinfra import stackfile
from gpuinfra.catalog.continents import continent_of
from gpuinfra.catalog.price_book import CATALOG
from gpuinfra.clouds import provider_of
from gpuinfra.fixes.location_edits import dimensions
from gpuinfra.fixes.options import OptionContext
from gpuinfra.planning import from_stack
from tests.fixes.conftest import SMALL, WITHOUT_RDMA, proposed


@pytest.mark.parametrize(
    ("cloud", "region"),
    [("aws", "eu-central-1"), ("gcp", "europe-west4"), ("azure", "westeurope")],
)
def test_a_move_to_another_continent_gives_up_the_location(cloud: str, region: str) -> None:
    text = SMALL.replace("aws, regions: [us-east-2]", f"{cloud}, regions: [{region}]")
    text = text.replace("instance: p5.48xlarge", "gpu: H100:8")
    stack = stackfile.loads(text, "stack.yaml").stack
    (regions,) = dimensions(OptionContext(value={}, stack=stack, prices=CATALOG))
    moves = [(option.edits[0].after[0], option.losses) for option in regions.options]

    far = [gives_up for to, gives_up in moves if continent_of(to) != "europe"]

    assert far
    assert {words for ((_, words),) in far} == {"the location: machines and data leave europe"}
    assert not any(gives_up for to, gives_up in moves[: -len(far)])


def values_of(where: str, key: str, **context: Any) -> list[Any]:
    """The values that fixes try of the regions or zones of a stack in two American regions."""
    text = SMALL.replace("where: {cloud: aws, regions: [us-east-2]}", f"where: {{{where}}}")
    stack = stackfile.loads(text, "stack.yaml").stack
    written = {"where": {"cloud": "aws"}}
    made = dimensions(OptionContext(value=written, stack=stack, prices=CATALOG, **context))
    options = [option for each in made if each.name == key for option in each.options]
    return [list(option.edits[0].after) for option in options]


def test_each_listed_region_is_tried_alone_before_others() -> None:
    tried = values_of("cloud: aws, regions: [us-east-2, us-west-2]", "regions")

    assert tried[:2] == [["us-east-2"], ["us-west-2"]]
    assert ["us-east-1"] in tried[2:]


def test_zones_are_tried_alone_then_none_then_others_of_the_region() -> None:
    where = "cloud: aws, regions: [us-east-1], zones: [us-east-1b, us-east-1a]"

    assert values_of(where, "zones")[:3] == [["us-east-1b"], ["us-east-1a"], []]
    assert ["us-east-1c"] in values_of(where, "zones")[3:]
    assert values_of(where, "regions") == []


def test_a_machine_s_region_has_a_price_for_it() -> None:
    """Where `instance` names the machine: with `gpu`, another region may have another one."""
    stack = stackfile.loads(SMALL, "stack.yaml").stack
    tried = values_of("cloud: aws, regions: [us-east-2]", "regions", plan=from_stack(stack))
    sold = {
        region
        for region in provider_of("aws").regions.all()
        if CATALOG.on_demand("aws", "p5.48xlarge", region) is not None
    }

    assert {region for (region,) in tried} == sold - {"us-east-2"}
    assert len(sold) < len([*provider_of("aws").regions.all()])


def test_no_location_is_tried_where_planning_chooses_the_cloud() -> None:
    assert values_of("cloud: any, regions: [us-east-2, us-central1]", "regions") == []


def test_a_region_whose_machines_have_the_fabric_s_software_comes_before_no_fabric() -> None:
    """In us-west4 the only machines with a fabric are those of GPUDirect-TCPX."""
    spot = "capacity: spot, gpu: {memory: 80GB.., count: 8}, checkpoints: {bucket: data}"
    text = WITHOUT_RDMA.replace("europe-west4", "us-west4").replace('gpu: "H100:8"', spot)
    text = f"{text.replace('9000', '99000')}buckets: {{data: {{size: 2TB}}}}\n"
    (fix, *_) = proposed(text, thorough=False).fixes

    assert [str(edit) for edit in fix.edits] == ["where.regions: [us-central1], now [us-west4]"]
    assert fix.passes_check
    assert not fix.effect.losses
