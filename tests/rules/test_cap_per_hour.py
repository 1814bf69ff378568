"""The cap of an hour: the cost within it, above it, and not known."""

from gpuinfra.model import Caps, Item
from tests.rules.cases.budgets import hour
from tests.rules.cases.judging import findings, group, outcomes, plan


def test_a_cap_holds_to_the_cent():
    four = group(minimum=4, maximum=4)
    assert outcomes(plan(four, caps=hour("220.16")), "cap-per-hour") == ["fine"]
    (finding,) = findings(plan(four, caps=hour("220.15")), "cap-per-hour")
    assert finding.outcome == "violated"
    assert "up to $220.16 per hour, above the cap of $220.15" in finding.message
    assert "no way to buy" not in finding.message


def test_a_small_excess_shows_the_decimals_by_which_it_differs():
    four = group(minimum=4, maximum=4)
    (finding,) = findings(plan(four, caps=hour("220.15987")), "cap-per-hour")
    assert "up to $220.1600 per hour, above the cap of $220.1599" in finding.message


def test_an_unknown_part_never_hides_a_known_excess():
    judged = plan(group(), group("p9.48xlarge", name="other"), caps=hour("50"))
    assert outcomes(judged, "cap-per-hour") == ["violated"]


def test_what_has_only_a_rate_is_named_in_every_verdict():
    data = Item(
        name="out",
        subject="u",
        kind="network",
        cloud="aws",
        item="nat-gateway-data",
        unit="GB",
        quantity=None,
        region="us-east-1",
    )
    for cap in ("1000", "1"):
        judged = plan(group(), caps=hour(cap), items=(data,))
        (finding,) = findings(judged, "cap-per-hour")
        assert "usage-based, not counted: NAT gateway, data of out" in finding.message


def test_an_hour_without_a_price_is_not_known_and_without_a_cap_not_asked():
    assert outcomes(plan(group("p9.48xlarge"), caps=hour("1000")), "cap-per-hour") == [
        "not-knowable"
    ]
    assert outcomes(plan(group(), caps=Caps()), "cap-per-hour") == ["not-applicable"]
