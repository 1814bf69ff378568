"""How often spot machines are interrupted."""

from decimal import Decimal

import pytest

from gpuinfra.clouds import provider_of
from gpuinfra.model import Interruption
from tests.rules.cases.judging import findings, group, outcomes, plan

RATE = "interruption-rate"

RATES = {
    "low": Interruption(
        machine="", region="", low=Decimal(0), high=Decimal("0.05"), source="s", as_of="2026"
    ),
    "high": Interruption(
        machine="", region="", low=Decimal("0.05"), high=Decimal("0.1"), source="s", as_of="2026"
    ),
    "open": Interruption(
        machine="", region="", low=Decimal("0.2"), high=None, source="s", as_of="2026"
    ),
}


@pytest.fixture
def published(monkeypatch):
    def rates(machine, region):
        return RATES.get(machine) if region == "us-east-1" else None

    monkeypatch.setattr(provider_of("aws").prices, "interruption", rates)


@pytest.mark.parametrize(
    ("machines", "most", "outcome", "words"),
    [
        (("low",), "5%", "fine", "monthly interruption rate: low 0% to 5% (2026)"),
        (("low",), "4%", "violated", "low 0% to 5% (2026), allowed: 4%"),
        (("high",), "7%", "violated", "high 5% to 10% (2026), allowed: 7%"),
        (("open",), "100%", "violated", "open more than 20% (2026), allowed: 100%"),
        (("low", "high"), "10%", "fine", "low 0% to 5% (2026), high 5% to 10% (2026)"),
        (("low", "high"), "5%", "violated", "allowed: 5%"),
        (("low", "none"), "5%", "not-knowable", "the interruption rate of none in us-east-1"),
        (("none", "high"), "5%", "violated", "high 5% to 10%"),
    ],
)
def test_spot_machines_are_not_interrupted_too_often(published, machines, most, outcome, words):
    spot = group(machines[0], machines=machines, capacity="spot")
    (finding,) = findings(plan(spot), RATE, {"maximum": most})
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message


def test_the_rate_is_that_of_the_rung_s_machine_where_no_other_is_named(published):
    spot = group("low", machines=(), capacity="spot")
    assert outcomes(plan(spot), RATE, {"maximum": "5%"}) == ["fine"]


def test_a_rate_is_asked_only_where_a_limit_is_set_and_something_is_on_spot():
    spot = group("g5.xlarge", capacity="spot")
    (none,) = findings(plan(spot), RATE)
    assert (none.outcome, none.message) == ("not-applicable", "no limit is set")
    (demand,) = findings(plan(group("g5.xlarge")), RATE, {"maximum": "1%"})
    assert (demand.outcome, demand.message) == ("not-applicable", "no group uses spot")
    (finding,) = findings(plan(spot), RATE, {"maximum": "15%"})
    assert finding.message.startswith("monthly interruption rate: g5.xlarge more than 20%")


@pytest.mark.parametrize(
    ("cloud", "machine", "region"),
    [("gcp", "g2-standard-8", "us-central1"), ("azure", "Standard_NC4as_T4_v3", "eastus")],
)
def test_where_no_cloud_publishes_a_rate_it_is_not_known(cloud, machine, region):
    spot = group(machine, cloud=cloud, region=region, capacity="spot")
    (finding,) = findings(plan(spot), RATE, {"maximum": "99%"})
    assert finding.outcome == "not-knowable"
    assert machine in finding.message
