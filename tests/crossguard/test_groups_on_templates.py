"""A group's price by its launch template, resource by resource."""

from dataclasses import replace

import pytest

from tests.crossguard.resources import (
    BUDGET,
    FIRST,
    GROUP,
    INSTANCE,
    MACHINE,
    SCHEDULE,
    TEMPLATE,
    capped,
    stands,
)
from tests.crossguard.wire import LATER, urn


def test_a_group_on_a_template_of_this_update_is_priced_by_its_id(engine, standing):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    group = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-1"}}
    assert run.show(GROUP, "small", group) == {}
    assert "cap-per-hour" in run.show(GROUP, "large", {**group, "maxSize": 2})


@pytest.mark.parametrize(
    ("version", "changed", "fits"),
    [
        ("$Latest", True, True),
        ("2", True, True),
        ("1", True, True),
        (None, True, True),
        ("$Default", True, True),
        ("3", True, False),
        ("1", False, True),
        ("2", False, False),
        (None, False, True),
    ],
)
def test_a_group_is_priced_at_the_version_of_its_template_that_it_starts(
    engine, standing, version, changed, fits
):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **FIRST))
    run = engine(*BUDGET, **capped(10))
    run.show(TEMPLATE, "lt", {**small, "ebsOptimized": "true"} if changed else small)
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": "lt-1", "version": version}}

    refused = run.show(GROUP, "workers", group)

    assert set(refused) == (set() if fits else {"cap-per-hour", "price-unknown"})


def test_a_template_that_an_interrupted_run_began_to_make_prices_no_group(engine, standing):
    """It may not be there, and another template may have the name."""
    begun = stands(TEMPLATE, "lt", {"instanceType": "g6.xlarge", "name": "lt"})
    standing.append(replace(begun, pending_operation="creating"))
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"name": "lt"}}

    assert "price-unknown" in engine(*BUDGET, **capped(10)).show(GROUP, "workers", group)


def test_a_changed_template_leaves_a_group_on_its_default_version_as_it_was(engine, standing):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    group = {"minSize": 0, "maxSize": 10, "launchTemplate": {"id": "lt-1"}}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **FIRST))
    standing.append(stands(GROUP, "workers", group, {"launchTemplate": [urn(TEMPLATE, "lt")]}))
    run = engine(*BUDGET, **capped(60))
    assert run.show(TEMPLATE, "lt", MACHINE) == {}
    assert "cap-per-hour" in run.show(TEMPLATE, "lt", {**MACHINE, "updateDefaultVersion": True})


def test_a_group_stays_as_it_was_where_its_template_may_be_made_anew(engine, standing):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    spec = {"id": "lt-1", "version": "3"}
    group = {"minSize": 0, "maxSize": 10, "launchTemplate": spec}
    third = {"latestVersion": 3, "defaultVersion": 1}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **third))
    standing.append(stands(GROUP, "workers", group, {"launchTemplate": [urn(TEMPLATE, "lt")]}))
    run = engine(*BUDGET, **capped(60))
    unverified = {"networkPerformanceOptions": {"bandwidthWeighting": "vpc-1"}}
    assert run.show(TEMPLATE, "lt", {**small, **unverified}) == {}


def test_a_group_on_the_version_before_an_update_is_priced_as_it_was(engine, standing):
    small = {**MACHINE, "instanceType": "g6.xlarge"}
    standing.append(stands(TEMPLATE, "lt", MACHINE, id="lt-1", **FIRST))
    run = engine(*BUDGET, **capped(10))
    run.show(TEMPLATE, "lt", small)
    group = {"minSize": 1, "maxSize": 1, "launchTemplate": {"id": "lt-1", "version": "1"}}

    assert set(run.show(GROUP, "workers", group)) == {"cap-per-hour"}


def test_a_group_on_a_template_that_nobody_knows_is_refused(engine):
    run = engine(*BUDGET, **capped(60))
    group = {"maxSize": 1, "minSize": 1, "launchTemplate": {"id": "lt-elsewhere"}}
    assert set(run.show(GROUP, "a", group)) == {"cap-per-hour", "price-unknown"}


def test_a_preview_leaves_what_is_not_known_yet_to_the_whole_which_knows_dependencies(engine):
    run = engine(*BUDGET, **capped(60))
    run.show(TEMPLATE, "lt", MACHINE)
    group = {"minSize": 1, "launchTemplate": {"id": LATER}}
    known = {"sources": {"launchTemplate": "lt"}}
    assert run.show(GROUP, "a", {**group, "maxSize": 1}, **known) == {}
    assert run.end() == {}
    run.show(GROUP, "b", {**group, "maxSize": 1}, **known)
    assert "cap-per-hour" in run.end()


PLAIN_GROUP = {"name": "workers", "minSize": 0, "maxSize": 1, "launchTemplate": {"id": "lt-1"}}
PLAIN_SCHEDULE = {
    "autoscalingGroupName": "workers",
    "scheduledActionName": "grow",
    "minSize": 0,
    "maxSize": 4,
    "startTime": "2030-01-01T00:00:00Z",
}


def small_workers_stand(standing):
    """A group that a schedule grows to four machines, each of which names the others by text."""
    small = {**MACHINE, "instanceType": "g6.xlarge", "updateDefaultVersion": True}
    standing.append(stands(TEMPLATE, "lt", small, id="lt-1", **FIRST))
    standing.append(stands(GROUP, "workers", PLAIN_GROUP, id="workers"))
    standing.append(stands(SCHEDULE, "grow", PLAIN_SCHEDULE, id="grow"))
    return small


@pytest.mark.parametrize(("cap", "refused"), [(100, {"cap-per-hour"}), (300, set())])
def test_a_template_is_refused_for_what_came_before_it_and_names_it_by_text(
    engine, standing, cap, refused
):
    small_workers_stand(standing)
    run = engine(*BUDGET, **capped(cap))
    assert run.show(SCHEDULE, "grow", PLAIN_SCHEDULE) == {}
    assert run.show(GROUP, "workers", PLAIN_GROUP) == {}
    changed = {**MACHINE, "updateDefaultVersion": True}
    assert set(run.show(TEMPLATE, "lt", changed)) == refused


@pytest.mark.parametrize(("cap", "refused"), [(100, {"cap-per-hour"}), (300, set())])
def test_a_group_is_refused_for_the_schedule_that_came_before_it(engine, standing, cap, refused):
    small = small_workers_stand(standing)
    standing.append(stands(TEMPLATE, "large", MACHINE, id="lt-2", **FIRST))
    run = engine(*BUDGET, **capped(cap))
    assert run.show(TEMPLATE, "lt", small) == {}
    assert run.show(TEMPLATE, "large", MACHINE) == {}
    assert run.show(SCHEDULE, "grow", PLAIN_SCHEDULE) == {}
    dearer = {**PLAIN_GROUP, "launchTemplate": {"id": "lt-2"}}
    assert set(run.show(GROUP, "workers", dearer)) == refused


def test_what_a_refused_template_would_have_cost_does_not_stay(engine, standing):
    """Shown again as it was, it and what names it cost what they did."""
    small = small_workers_stand(standing)
    run = engine(*BUDGET, **capped(100))
    run.show(SCHEDULE, "grow", PLAIN_SCHEDULE)
    run.show(GROUP, "workers", PLAIN_GROUP)
    assert set(run.show(TEMPLATE, "lt", {**MACHINE, "updateDefaultVersion": True}))
    assert run.show(TEMPLATE, "lt", small) == {}
    assert run.show(INSTANCE, "one-more", {**MACHINE, "instanceType": "g6.xlarge"}) == {}
