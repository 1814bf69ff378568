"""What a program's root says beside the pack: its caps, its own prices, its settings."""

import pytest

from tests.crossguard.resources import BUDGET, INSTANCE, MACHINE, capped, root
from tests.crossguard.wire import ACCEPTED, LATER
from tests.price_overrides.rows import carried_row


def test_a_programs_cap_holds_beside_the_packs(engine):
    run = engine(*BUDGET, **capped(1000))
    assert root(run, budget={"perHour": "60"}) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "b", MACHINE)


def test_a_programs_cap_that_is_not_known_yet_is_refused(engine):
    run = engine(*BUDGET)
    assert "budget" in root(run, budget={"perHour": LATER})["settings"][0]


OWN = carried_row("31.5")


def test_a_programs_own_price_does_not_loosen_a_cap_of_the_packs_own(engine):
    run = engine(*BUDGET, **capped(40))
    assert root(run, ownPrices=[OWN]) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


def test_a_programs_own_price_tightens_a_cap_of_the_packs_own(engine):
    run = engine(*BUDGET, **capped(60))
    assert root(run, ownPrices=[{**OWN, "price": "70"}]) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


def test_a_programs_own_price_counts_under_its_own_cap(engine):
    run = engine(*BUDGET)
    assert root(run, ownPrices=[OWN], budget={"perHour": "40"}) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}


def test_a_programs_own_price_counts_where_the_pack_accepts_it(engine):
    run = engine(*BUDGET, settings={**capped(40)["settings"], "own_prices": "accepted"})
    assert root(run, ownPrices=[OWN]) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}
    (text,) = run.show(INSTANCE, "b", MACHINE)["cap-per-hour"]
    assert text.startswith("b adds $31.50 an hour to $31.50")


def test_a_pack_may_refuse_own_prices(engine):
    run = engine(*BUDGET, settings={**capped(40)["settings"], "own_prices": "refused"})
    assert root(run, ownPrices=[OWN]) == {}
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


@pytest.mark.parametrize(
    "own", ["cheap", [{**OWN, "price": "0"}], [{**OWN, "price": LATER}], [{**OWN, "origin": "me"}]]
)
def test_own_prices_that_make_no_sense_are_refused_and_none_counts(engine, own):
    run = engine(*BUDGET, **capped(40))
    assert "ownPrices" in root(run, ownPrices=own)["settings"][0]
    assert "cap-per-hour" in run.show(INSTANCE, "a", MACHINE)


def test_the_stricter_setting_of_pack_and_program_holds(engine):
    usage = {"purpose": {"a": "inference"}}
    run = engine("spot-share", **{"spot-share": {"minimum": "0%"}})
    root(run, rules={"spot-share": {"minimum": "60%", "level": "disabled"}}, usage=usage)
    run.show(INSTANCE, "a", MACHINE)
    assert "below the minimum of 60%" in run.end()["spot-share"][0]


def test_without_a_budget_the_first_gpu_needs_a_cap(engine):
    run = engine("no-cap")
    assert not run.show("aws:s3/bucket:Bucket", "data", {})
    assert not run.show(INSTANCE, "web", {**MACHINE, "instanceType": "m6i.large"})
    assert not run.end()
    assert set(run.show(INSTANCE, "trainer", MACHINE)) == {"no-cap"}
    assert set(run.end()) == {"no-cap"}


def test_without_a_budget_what_has_no_price_needs_a_cap(engine):
    run = engine("no-cap")
    assert set(run.show("runpod:index:Pod", "pod", {"gpuCount": 8})) == {"no-cap"}
    assert set(run.end()) == {"no-cap"}


TRUST = [{"input": "vpcSecurityGroupIds", "value": "sg-1", "private": True, "why": "ours"}]
GUARDED = {**MACHINE, "vpcSecurityGroupIds": ["sg-1"]}


def test_a_pack_may_trust_what_other_stacks_made(engine):
    run = engine("open-login")
    run.show(INSTANCE, "a", GUARDED)
    assert set(run.end()) == {"open-login"}

    run = engine("open-login", settings={**ACCEPTED, "trust": TRUST})
    run.show(INSTANCE, "a", GUARDED)
    assert not run.end()
    run.show(INSTANCE, "b", {**GUARDED, "vpcSecurityGroupIds": ["sg-2"]})
    assert [text.partition(":")[0] for text in run.end()["open-login"]] == ["b"]


@pytest.mark.parametrize("loosening", ["accepted", "refused"])
def test_a_program_can_not_bring_its_own_trust(engine, loosening):
    run = engine("open-login", settings={**ACCEPTED, "loosening": loosening})
    root(run, trust=TRUST)
    run.show(INSTANCE, "a", GUARDED)
    assert set(run.end()) == {"open-login"}
    assert "unknown key 'trust'" in root(run, usage={"trust": TRUST})["settings"][0]


def test_trust_in_nothing_is_a_mistake_of_the_pack(engine):
    run = engine("open-login", settings={**ACCEPTED, "trust": [{"input": "x", "why": "y"}]})
    assert "private, limited" in str(run.mistakes)
