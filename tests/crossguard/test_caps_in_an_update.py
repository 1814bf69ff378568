"""Caps as an update meets them: resource by resource, with its state, then the whole."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.functions import source
from gpuinfra.cost import estimate
from gpuinfra.crossguard import update
from gpuinfra.errors import EngineError
from tests.crossguard.resources import (
    BUDGET,
    FIRST,
    GROUP,
    INSTANCE,
    MACHINE,
    TEMPLATE,
    capped,
    root,
    stands,
)
from tests.crossguard.wire import ACCEPTED, LATER


def test_the_resource_that_crosses_the_cap_is_refused_and_the_state_is_read_once(engine, standing):
    standing.append(stands(INSTANCE, "old", MACHINE, id="i-0"))
    run = engine(*BUDGET, **capped(115))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    (text,) = run.show(INSTANCE, "b", MACHINE)["cap-per-hour"]
    assert text.startswith("b adds $55.04 an hour to $110.08")
    assert standing.reads == 1


@pytest.mark.parametrize(("rules", "times"), [(["cap-per-hour"], 1), (BUDGET, 2)])
def test_a_resource_is_priced_alone_and_again_where_a_rule_asks(
    engine, standing, monkeypatch, rules, times
):
    priced = []
    monkeypatch.setattr(
        update, "estimate", lambda plan, terms: priced.append(plan.name) or estimate(plan, terms)
    )
    run = engine(*rules, **capped(115))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert priced == ["a"] * times


def test_a_new_update_in_the_same_process_begins_anew(engine, standing):
    run = engine(*BUDGET, **capped(60))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    run.start()
    assert run.show(INSTANCE, "b", MACHINE) == {}
    assert standing.reads == 2


def test_a_reservation_that_a_machine_leaves_is_paid_until_it_is_deleted(engine, standing):
    kept = {"instanceType": "p5.48xlarge", "instanceCount": 1, "instancePlatform": "Linux/UNIX"}
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inside = {**MACHINE, "capacityReservationSpecification": target}
    kind = "aws:ec2/capacityReservation:CapacityReservation"
    standing.append(stands(kind, "kept", kept, id="cr-1"))
    standing.append(stands(INSTANCE, "a", inside, id="i-1"))
    assert engine(*BUDGET, **capped(60)).show(INSTANCE, "a", inside) == {}
    assert "cap-per-hour" in engine(*BUDGET, **capped(60)).show(INSTANCE, "a", MACHINE)


UNPRICED = {**MACHINE, "instanceType": "p9.huge"}


def test_what_has_no_price_is_no_reason_to_read_the_state_again(engine, standing):
    run = engine(*BUDGET, **capped(60))
    for number in range(20):
        assert "price-unknown" in run.show(INSTANCE, f"odd-{number}", UNPRICED)
    assert standing.reads == 1


def test_the_state_is_read_again_once_for_what_this_update_made(engine, standing):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    for number in range(20):
        assert "price-unknown" in run.show(INSTANCE, f"odd-{number}", UNPRICED)
    assert standing.reads == 2
    group = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-1"}}
    assert "price-unknown" not in run.show(GROUP, "group", group)


def test_a_state_that_cannot_be_read_is_not_asked_for_again(engine, standing):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    standing.append(EngineError)
    for number in range(20):
        assert "cap-per-hour" in run.show(INSTANCE, f"odd-{number}", UNPRICED)
    assert standing.reads == 2


def test_what_stays_unknown_at_the_end_of_a_preview_is_refused(engine):
    run = engine(*BUDGET, **capped(60))
    assert run.show(INSTANCE, "a", {"instanceType": LATER}) == {}
    assert set(run.end()) == {"cap-per-hour", "price-unknown"}


def test_a_state_that_cannot_be_read_refuses_what_costs_and_nothing_else(engine, standing):
    standing.append(EngineError)
    run = engine(*BUDGET, **capped(999))
    assert run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) == {}
    (text,) = run.show(INSTANCE, "a", MACHINE)["cap-per-hour"]
    assert "can't be checked: no backend" in text


def test_without_any_cap_only_what_costs_is_refused(engine):
    run = engine(*BUDGET)
    assert run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) == {}
    assert set(run.show(INSTANCE, "a", MACHINE)) == {"no-cap"}


def test_a_run_above_its_cap_is_refused_before_it_starts(engine):
    usage = {"hours": {"trainer": 100}, "purpose": {"trainer": "training"}}
    settings = {**ACCEPTED, "usage": usage, "budget": {"per_run": 5000, "per_hour": 900}}
    run = engine(*BUDGET, settings=settings)
    assert set(run.show(INSTANCE, "trainer", MACHINE)) == {"cap-per-run"}


def used(per_hour, **data):
    return {"settings": {**capped(per_hour)["settings"], "usage": {"data": data}}}


def test_what_the_stack_uses_up_in_a_month_counts_from_the_first_place_on(engine):
    assert engine(*BUDGET, **capped(56)).show(INSTANCE, "a", MACHINE) == {}
    run = engine(*BUDGET, **used(56, data_out=20_000))
    assert run.show("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"}) == {}
    (text,) = run.show(INSTANCE, "a", MACHINE)["cap-per-hour"]
    assert text.startswith("a adds $55.04 an hour to $2.24")


def test_it_counts_once_for_all_machines_and_in_the_whole_alike(engine):
    run = engine(*BUDGET, **used(113, data_out=20_000))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert run.show(INSTANCE, "b", MACHINE) == {}
    assert run.end() == {}
    run = engine(*BUDGET, **used(112, data_out=20_000))
    run.show(INSTANCE, "a", MACHINE)
    assert "112.32" in run.show(INSTANCE, "b", MACHINE)["cap-per-hour"][0]
    assert "112.32" in run.end()["cap-per-hour"][0]


def test_data_without_a_price_is_refused_in_words(engine):
    run = engine(*BUDGET, **used(1000, between_regions=5))
    inputs = {**MACHINE, "region": "cn-north-1"}
    assert "usage: between_regions" in run.show(INSTANCE, "a", inputs)["cap-per-hour"][0]


def test_money_is_exact(engine, standing):
    run = engine(*BUDGET, **capped(float(2 * Decimal("55.04"))))
    assert run.show(INSTANCE, "a", MACHINE) == {}
    assert run.show(INSTANCE, "b", MACHINE) == {}


def test_an_advisory_cap_tells_and_refuses_nothing(engine):
    advisory = {"cap-per-hour": "advisory"}
    run = engine("cap-per-hour", **capped(60), **advisory)
    run.show(INSTANCE, "a", MACHINE)
    assert set(run.show(INSTANCE, "b", MACHINE)) == {"cap-per-hour"}
    assert run.levels == {"cap-per-hour": {"advisory"}}


def test_what_ends_the_machines_is_made_after_them_and_the_whole_sees_whether_it_is(engine):
    usage = {"usage": {"endsAfter": {"a": "10"}, "hours": {"a": "10"}}}
    judge = {**ACCEPTED, "budget": {"per_month": 600}, "loosening": "accepted"}
    run = engine(*BUDGET, settings=judge)
    assert root(run, **usage) == {}
    assert run.show(INSTANCE, "a", MACHINE) == {}, "ten hours are 550 dollars"

    assert "cap-per-month" in run.end(), "nothing was made that ends it, so a month has 730 hours"


MONTHLY = {**ACCEPTED, "budget": {"per_month": 600}}
ENDS = {"usage": {"endsAfter": {"workers": "10"}}}
CALENDAR = "aws:scheduler/schedule:Schedule"
FUNCTION = "aws:lambda/function:Function"
STOP = "arn:aws:lambda:us-east-1:123456789012:function:stop"
ON_TEMPLATE = {
    "minSize": 1,
    "maxSize": 1,
    "launchTemplate": {"id": "lt-1", "version": "$Latest"},
    "tags": [{"key": "gpuinfra:workload", "value": "trainer", "propagateAtLaunch": True}],
}


def archive(code):
    """An archive of one file of text, as the engine shows it."""
    return {"assets": {"stop.py": {"text": code}}}


def rings(hours):
    when = datetime.now(UTC) + timedelta(hours=hours)
    return f"at({when:%Y-%m-%dT%H:%M:%S})"


def shown_with_its_end(engine, standing, when, code, workload="trainer"):
    """What a pack says of a group whose end by a function was shown before it."""
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    standing.append(stands(FUNCTION, "stop", {"code": archive(code)}, id="stop", arn=STOP))
    run = engine(*BUDGET, settings=MONTHLY)
    assert root(run, **ENDS) == {}
    target_input = json.dumps({"workload": workload})
    run.show(
        CALENDAR,
        "end",
        {"scheduleExpression": when, "target": {"arn": STOP, "input": target_input}},
    )
    return run.show(GROUP, "workers", ON_TEMPLATE)


def test_a_program_s_word_alone_ends_no_month(engine):
    run = engine(*BUDGET, settings=MONTHLY)
    assert root(run, **ENDS) == {}
    (text,) = run.show(INSTANCE, "workers", MACHINE)["cap-per-month"]
    assert "workers counts 730 hours, since it is not known yet that a declared" in text


def test_the_pack_s_own_word_does(engine):
    run = engine(*BUDGET, settings={**MONTHLY, "usage": {"ends_after": {"workers": 10}}})
    assert run.show(INSTANCE, "workers", MACHINE) == {}


def test_a_program_s_word_counts_with_an_end_that_shows_its_time(engine, standing):
    assert shown_with_its_end(engine, standing, rings(9), source("stop")) == {}


@pytest.mark.parametrize(
    ("when", "code", "workload"),
    [
        (9, "def handler(*_): pass", "trainer"),
        (9, source("stop"), "another"),
        (24 * 28, source("stop"), "trainer"),
        ("rate(28 days)", source("stop"), "trainer"),
        ("cron(0 0 1 * ? *)", source("stop"), "trainer"),
    ],
)
def test_an_end_by_other_code_of_another_workload_or_later_does_not(
    engine, standing, when, code, workload
):
    clock = rings(when) if isinstance(when, int) else when
    told = shown_with_its_end(engine, standing, clock, code, workload)
    assert "cap-per-month" in told


@pytest.mark.parametrize(
    ("code", "workload", "limited"),
    [
        (source("stop"), "trainer", True),
        (source("stop"), "another", False),
        ("def handler(*_): pass", "trainer", False),
    ],
)
def test_gpuinfra_s_own_function_is_known_to_limit_the_runtime(
    engine, standing, code, workload, limited
):
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    standing.append(stands(FUNCTION, "stop", {"code": archive(code)}, id="stop", arn=STOP))
    run = engine("time-limit", settings=ACCEPTED)
    assert root(run, usage={"purpose": {"workers": "training"}}) == {}
    run.show(FUNCTION, "stop", {"code": archive(code)})
    target_input = json.dumps({"workload": workload})
    target = {"arn": STOP, "input": target_input}
    run.show(CALENDAR, "end", {"scheduleExpression": rings(9), "target": target})
    run.show(TEMPLATE, "lt", MACHINE)
    run.show(GROUP, "workers", ON_TEMPLATE)

    assert ("time-limit" not in run.end()) is limited
