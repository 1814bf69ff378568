"""The maximum price of a spot request in a fix: within the cap, not below what spot costs."""

from decimal import Decimal

from gpuinfra.catalog import CATALOG
from gpuinfra.fixes.tunables import tunable_dimensions
from gpuinfra.model import Caps, Resource
from tests.fixes.resources import proposed
from tests.rules.cases.program import Program

REQUEST = "aws:ec2/spotInstanceRequest:SpotInstanceRequest"


def bid_of(cap):
    """What is proposed as the bid of a p5.48xlarge on spot under a cap per hour."""
    program = Program()
    program.add(
        REQUEST,
        "workers",
        ami="ami-1",
        instanceType="p5.48xlarge",
        availabilityZone="us-east-1a",
        spotPrice="90",
        metadataOptions={"httpTokens": "required"},
        rootBlockDevice={"encrypted": True, "volumeSize": 100},
    )
    resources = program.resources("preview")
    edits = [edit for fix in proposed(resources, cap).fixes for edit in fix.edits]
    return {Decimal(edit.after) for edit in edits if edit.path == ("spotPrice",)}


def test_a_bid_is_lowered_to_fit_a_cap():
    (bid,) = bid_of(Caps(per_hour=Decimal(80)))

    assert Decimal("55.04") <= bid < 80


def test_a_bid_may_be_the_last_spot_price_of_the_dearest_zone():
    assert bid_of(Caps(per_hour=Decimal("55.4"))) == {Decimal("55.04")}


def test_no_bid_is_below_the_last_spot_price_of_the_dearest_zone():
    assert bid_of(Caps(per_hour=Decimal(40))) == set()


def test_no_bid_is_proposed_where_no_spot_price_is_known():
    resource = Resource(urn="u", type=REQUEST, name="n", inputs={"spotPrice": "9"})

    def bids(floor):
        return [
            tunable.name
            for tunable in tunable_dimensions(resource, REQUEST, CATALOG, lambda _: floor)
        ]

    assert "max_price" in bids(Decimal(3))
    assert "max_price" not in bids(None)


UNKNOWN_SPOT = """\
name: demo
owner: ml
budget: {per_month: 3000}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  box: {instance: g6.8xlarge, nodes: 2, capacity: spot, duration: 24h, checkpoints: {bucket: data}}
buckets:
  data: {size: 100GB}
"""


def test_an_end_is_preferred_to_a_bid_that_may_win_no_machines(propose):
    proposal = propose(UNKNOWN_SPOT)

    assert proposal.fixes[0].change == "training.box.time_to_live: 30h"
