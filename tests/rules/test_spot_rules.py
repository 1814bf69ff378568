"""How machines are sold, how often they are taken back, and what waits or is evicted."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.catalog import CATALOG
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.observed_rules import judges
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Interruption, Rung
from gpuinfra.rules import RULES, market_offered
from tests.rules.cases.grouped import changed
from tests.rules.cases.judging import findings, group, outcomes, plan

MARKET = "market-offered"


@pytest.mark.parametrize(
    ("machine", "changes", "outcome", "words"),
    [
        ("g6.xlarge", {}, "fine", "offered on demand in us-east-1"),
        ("g6.xlarge", {"capacity": "spot"}, "fine", "offered on spot in us-east-1"),
        ("g6.xlarge", {"capacity": "reserved"}, "fine", "offered on demand in us-east-1"),
        (
            "g6.xlarge",
            {"capacity": "capacity-block"},
            "violated",
            "not offered in capacity blocks",
        ),
        ("p5.48xlarge", {"capacity": "capacity-block"}, "fine", "offered in capacity blocks"),
        ("g6.xlarge", {"region": "mars-1"}, "not-knowable", "g6.xlarge is offered in mars-1"),
        ("t3.micro", {}, "not-applicable", "are unknown"),
        ("g6.xlarge", {"usage_classes": UNKNOWN}, "not-knowable", "the purchase option"),
        (
            "g6.xlarge",
            {"usage_classes": ("flex-start", "spot")},
            "fine",
            "offered by flex-start or on spot",
        ),
        (
            "g6.xlarge",
            {"usage_classes": ("flex-start",)},
            "violated",
            "is not offered by flex-start, only",
        ),
    ],
)
def test_a_machine_is_sold_in_the_way_in_which_it_is_asked_for(machine, changes, outcome, words):
    (finding,) = findings(plan(group(machine, **changes)), MARKET)
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message
    assert outcomes(plan(), MARKET) == ["not-applicable"]


BLOCKS_ONLY = "p6e-gb200.36xlarge"


@pytest.mark.parametrize(
    ("capacity", "words"),
    [
        ("on-demand", f"{BLOCKS_ONLY} is not offered on demand, only in capacity blocks"),
        ("reserved", f"{BLOCKS_ONLY} is not offered on demand, only in capacity blocks"),
        ("spot", f"{BLOCKS_ONLY} is not offered on spot, only in capacity blocks"),
    ],
)
def test_what_is_sold_in_blocks_alone(capacity, words):
    (finding,) = findings(plan(group(BLOCKS_ONLY, capacity=capacity)), MARKET)
    assert (finding.outcome, finding.message) == ("violated", words)


@pytest.mark.parametrize(
    ("base", "share", "outcome"),
    [(0, 1, "fine"), (1, 1, "violated"), (0, "0.5", "violated"), (0, 0, "fine")],
)
def test_a_pool_of_both_kinds_needs_both_ways(base, share, outcome):
    # Three machines of Google Cloud are offered on spot and never on demand.
    machines = provider_of("gcp").machines.all_machines()
    only = next(
        machine for machine in machines if set(machine.usage_classes) == {"spot", "flex-start"}
    )
    pool = group(
        only.type,
        cloud="gcp",
        region=only.regions[0],
        capacity="spot",
        on_demand_base=base,
        spot_share_above_base=Decimal(share),
    )
    (finding,) = findings(plan(pool), MARKET)
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message.startswith(f"{only.type} is not offered on demand, only on spot or")


def test_where_no_table_says_how_it_is_sold_a_price_does(monkeypatch):
    machine = next(
        machine
        for machine in provider_of("azure").machines.all_machines()
        if not machine.usage_classes
    )
    region = "eastus"
    sold = (machine.type, region, "on-demand")
    prices = provider_of("azure").prices
    row = replace(next(prices.all_rows()), item=machine.type, region=region, mode="on-demand")
    monkeypatch.setattr(prices, "rows", lambda *key: (row,) if key == sold else ())
    for kept in ("_listed", "_ceilings", "_spot"):
        monkeypatch.setattr(CATALOG, kept, {})  # no later test sees what these rows come to
    given = {"cloud": "azure", "region": region}
    assert outcomes(plan(group(machine.type, **given)), MARKET) == ["fine"]
    either = group(machine.type, usage_classes=("on-demand", "reservation"), **given)
    assert outcomes(plan(either), MARKET) == ["fine"]
    (finding,) = findings(plan(group(machine.type, capacity="spot", **given)), MARKET)
    assert finding.outcome == "not-knowable"
    assert (
        finding.message == f"it is unknown whether {machine.type} is offered on spot in {region}"
    )


def test_one_of_several_types_that_is_not_sold_is_enough():
    both = group(
        "g6.xlarge", machines=("g6.xlarge", "t3.micro", "trn2u.48xlarge"), capacity="spot"
    )
    (finding,) = findings(plan(both), MARKET)
    assert finding.outcome == "violated"
    assert finding.message.startswith("trn2u.48xlarge is not offered on spot, only")


def test_a_type_that_no_table_has_is_not_fine_for_the_others():
    (finding,) = findings(plan(group("g6.xlarge", machines=("g6.xlarge", "x99.huge"))), MARKET)
    assert (finding.outcome, finding.message) == ("not-knowable", "unknown machine type x99.huge")


@pytest.mark.parametrize(
    ("cloud", "region", "machines"),
    [
        ("aws", "us-east-1", ("g6.xlarge", "t3.micro")),
        ("azure", "eastus", ("Standard_NC4as_T4_v3", "Standard_D8s_v5")),
    ],
)
def test_a_type_without_gpus_is_offered_where_it_has_a_price(cloud, region, machines):
    mixed = group(machines[0], cloud=cloud, region=region, machines=machines)
    assert outcomes(plan(mixed), MARKET) == ["fine"]


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


@pytest.mark.parametrize(
    ("faults", "ways", "outcome"),
    [
        ((), None, "not-applicable"),
        ((), ("reservation", "calendar"), "not-applicable"),
        ((), UNKNOWN, "not-applicable"),
        ((), ("flex-start",), "fine"),
        (("a", "b"), None, "violated"),
        (UNKNOWN, None, "not-knowable"),
        (UNKNOWN, ("flex-start",), "not-knowable"),
    ],
)
def test_machines_that_wait_are_declared_as_the_cloud_takes_them(faults, ways, outcome):
    (finding,) = findings(
        plan(group(faults=rule_faults("flex-start", faults), usage_classes=ways)), "flex-start"
    )
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    if outcome == "violated":
        assert finding.message == "a; b"


@pytest.mark.parametrize(
    ("faults", "outcome"), [((), "fine"), (("a", "b"), "violated"), (UNKNOWN, "not-knowable")]
)
def test_only_machines_that_may_be_evicted_say_what_happens(faults, outcome):
    (finding,) = findings(
        plan(group(cloud="azure", faults=rule_faults("eviction-policy", faults))),
        "eviction-policy",
    )
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert outcomes(plan(), "eviction-policy") == ["not-applicable"]


@pytest.mark.parametrize("rule", ["eviction-policy", "launch-settings"])
@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_cloud_without_a_setting_is_not_praised_for_it(rule, cloud):
    (finding,) = findings(plan(group(cloud=cloud)), rule)
    assert finding.outcome == ("fine" if judges(cloud, rule) else "not-applicable")


def test_spot_machines_are_not_said_to_be_never_evicted():
    regular = group(cloud="azure")
    spot = replace(regular, rungs=(replace(regular.rung, capacity="spot"),))
    (finding,) = findings(plan(spot), "eviction-policy")
    assert finding.outcome == "fine"
    assert "never" not in finding.message


def test_every_way_of_the_tables_has_words():
    sold = {
        way
        for cloud in ("aws", "gcp", "azure")
        for machine in provider_of(cloud).machines.all_machines()
        for way in machine.usage_classes
    }
    assert sold == {*market_offered.SOLD_AS}


@pytest.mark.parametrize(
    ("rule", "level", "alone"),
    [
        ("cap-per-hour", "mandatory", False),
        ("cap-per-month", "mandatory", False),
        ("cap-per-run", "mandatory", True),
        ("cap-per-workload", "mandatory", True),
        ("no-cap", "mandatory", True),
        ("price-unknown", "mandatory", True),
        ("price-outdated", "mandatory", True),
        ("cost-growth", "mandatory", False),
        ("pool-maximum", "mandatory", True),
        ("cloud-budget", "advisory", False),
        ("time-limit", "advisory", False),
        ("spot-share", "mandatory", False),
        ("spot-interruptible", "mandatory", False),
        ("spot-only-pool", "mandatory", False),
        ("spot-checkpoints", "mandatory", False),
        ("spot-settings", "mandatory", True),
        ("spot-allocation", "advisory", True),
        ("market-offered", "mandatory", True),
        ("interruption-rate", "mandatory", True),
        ("flex-start", "mandatory", True),
        ("eviction-policy", "mandatory", True),
        ("capacity-block", "mandatory", True),
    ],
)
def test_what_costs_or_is_refused_is_mandatory_and_asked_as_early_as_can_be(rule, level, alone):
    (judging,) = (candidate for candidate in RULES if candidate.id == rule)
    assert (judging.level, judging.alone) == (level, alone)
    assert judging.family in {"budget", "spot"}


def test_every_rule_about_money_and_spot_has_its_level_told_here():
    mark = test_what_costs_or_is_refused_is_mandatory_and_asked_as_early_as_can_be.pytestmark[0]
    told = {rule for rule, *_ in mark.args[1]}
    assert told == {rule.id for rule in RULES if rule.family in {"budget", "spot"}}


@pytest.mark.parametrize(
    ("faults", "outcome"), [((), "fine"), (("a", "b"), "violated"), (UNKNOWN, "not-knowable")]
)
def test_settings_fit_the_way_in_which_machines_are_bought(faults, outcome):
    (finding,) = findings(
        plan(group(faults=rule_faults("spot-settings", faults), capacity="spot")), "spot-settings"
    )
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    words = {"fine": "spot settings are valid", "violated": "a; b"}
    assert finding.message == words.get(outcome, "the purchase option is not known yet")


@pytest.mark.parametrize(
    ("changes", "outcome", "words"),
    [
        ({}, "not-applicable", "no capacity block"),
        ({"capacity": "capacity-block"}, "fine", "is named and the cloud places its machines"),
        ({"faults": rule_faults("capacity-block", ("a", "b"))}, "violated", "a; b"),
        ({"faults": rule_faults("capacity-block", UNKNOWN)}, "not-knowable", "is not known yet"),
    ],
)
def test_capacity_blocks_are_used_as_the_cloud_takes_them(changes, outcome, words):
    (finding,) = findings(plan(group(**changes)), "capacity-block")
    assert (finding.outcome, finding.subject) == (outcome, "training.trainer")
    assert words in finding.message


def test_a_run_ends_before_its_capacity_block_does():
    rung = Rung(
        capacity="capacity-block",
        machine="p5.48xlarge",
        region="us-east-1",
        zones=(),
        ends="2026-08-02T11:30:00+00:00",
    )
    long = replace(group(hours=Decimal(72)), rungs=(rung,))
    (finding,) = findings(plan(long), "capacity-block")
    assert finding.outcome == "violated"
    assert finding.fix == "shorten the run, or use a block that ends later"
    assert outcomes(plan(changed(long, hours=Decimal(1))), "capacity-block") == ["fine"]
