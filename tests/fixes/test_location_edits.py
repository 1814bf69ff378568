"""A fix moves a stack to other regions; to another continent only as something given up."""

import pytest

from gpuinfra import stackfile
from gpuinfra.catalog.continents import continent_of
from gpuinfra.catalog.price_book import CATALOG
from gpuinfra.fixes.location_edits import dimensions
from gpuinfra.fixes.options import OptionContext
from tests.fixes.conftest import SMALL


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
