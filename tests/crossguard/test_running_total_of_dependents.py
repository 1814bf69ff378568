"""Resources that refer to one: they are counted again when it changes."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import Resource
from tests.crossguard.priced_machines import INSTANCE, machine, running, see, urn

THIRD = Decimal(10) / 3


def test_a_group_that_is_replaced_runs_its_new_template_until_it_is_deleted():
    """Found by a life: the template grew, and the group that it belongs to was replaced."""
    template = machine("template", 5)
    template = replace(template, outputs={"id": "lt-1"})
    group = machine("group", 0, {"lt": (template.urn,)}, lt="lt-1", zones="a")
    total = running(template, ExistingResource(resource=group, replaced_on=("*",)))

    see(total, replace(template, inputs={"monitoring": 60}))
    step = see(total, replace(group, inputs={**group.inputs, "zones": "b"}))

    assert step.counted_twice
    assert step.total.per_hour == 60 + 60 + 60


@pytest.mark.parametrize(
    ("left", "most"),
    [
        ({"awaits_deletion": True}, 3 * 60),
        ({"pending_operation": "creating"}, 3 * 60),
        ({"pending_operation": "updating"}, 2 * 60),  # the same resource: it counts once
    ],
)
def test_what_an_earlier_update_left_follows_its_template(left, most):
    template = replace(machine("template", 5), outputs={"id": "lt-1"})
    group = machine("group", 0, {"lt": (template.urn,)}, lt="lt-1")
    total = running(template, group, ExistingResource(resource=group, **left))

    step = see(total, replace(template, inputs={"monitoring": 60}))

    assert step.total.per_hour == most


def test_what_waits_for_its_deletion_keeps_the_price_of_its_own_template():
    now = replace(machine("template", 0), outputs={"id": "lt-2"})
    old = replace(machine("template", 0), outputs={"id": "lt-1"})
    group = machine("group", None, {"lt": (now.urn,)}, lt="lt-1")
    left = [ExistingResource(resource=each, awaits_deletion=True) for each in (old, group)]
    total = running(now, *left)

    step = see(total, replace(now, inputs={"monitoring": 70}))

    assert not step.total.unknown
    assert step.total.per_hour == 70


@pytest.mark.parametrize(
    ("price", "loses", "most"),
    [
        (55, 1, 165),  # one machine and one by its schedule, then three by itself
        (55, 0, 220),  # the other's machine is not the group's
        (54, 1, 219),  # of another price
        (THIRD, 1, 3 * THIRD),  # a price with an endless fraction, as of a disk
    ],
)
def test_a_group_takes_over_what_let_it_have_more_machines(price, loses, most):
    base = price if price == THIRD else 55

    def machines(count, each):
        return Cost(per_hour=Decimal(count) * each, machines=count)

    group = replace(machine("group", 55), outputs={"id": "g-1"})
    total = running(group, machine("schedule", 0, {"of_group": (group.urn,)}, of_group="g-1"))
    costs = {"group": machines(3, base), "schedule": machines(1 - loses, price)}
    total._set_share(urn("group"), cost_before=machines(1, base))
    total._set_share(urn("schedule"), cost_before=machines(1, price))
    total.becoming.cost = lambda resource: costs[resource.name]

    step = see(total, replace(group, inputs={**group.inputs, "monitoring": 56}))

    assert abs(step.total.per_hour - most) < Decimal("0.0001")


def test_a_group_that_is_replaced_passes_no_machines_to_its_schedule():
    """The old group has its three machines beside those of the new group and of its schedule."""
    group = replace(machine("group", 55, ami="ami-1"), outputs={"id": "g-1"})
    total = running(group, machine("schedule", 0, {"of_group": (group.urn,)}, of_group="g-1"))
    three, two, one_machine = (
        Cost(per_hour=Decimal(55 * count), machines=count) for count in (3, 2, 1)
    )
    total._set_share(urn("group"), cost_before=three)
    total.becoming.cost = lambda resource: {"group": one_machine, "schedule": two}[resource.name]

    step = see(total, replace(group, inputs={**group.inputs, "ami": "ami-2"}))

    assert step.counted_twice
    assert step.total.per_hour == (3 + 1 + 2) * 55


def test_a_group_takes_no_machines_over_from_what_only_names_one_like_it():
    # Groups of one name in two regions: the schedule of the other refers to neither's URN.
    group = replace(machine("group", 55), outputs={"id": "g-1"})
    total = running(group, machine("schedule", 0, of_group="g-1"))
    one_machine, three = (Cost(per_hour=Decimal(55 * count), machines=count) for count in (1, 3))
    total._set_share(urn("group"), cost_before=one_machine)
    total._set_share(urn("schedule"), cost_before=one_machine)
    total.becoming.cost = lambda resource: {"group": three}.get(resource.name, ZERO_COST)

    step = see(total, replace(group, inputs={**group.inputs, "monitoring": 56}))

    assert step.total.per_hour == 220


def test_what_rests_on_a_resource_counts_when_it_is_looked_at_again():
    template = replace(machine("lt", 1), outputs={"id": "lt-1"})
    group = replace(machine("group", 1), outputs={"id": "g-1"})
    total = running(template, group, machine("schedule", 1, lt="lt-1", of_group="g-1"))
    see(total, machine("lt", 5), group)
    before = total.total

    see(total, group)

    assert total.total == before


def test_what_refers_to_a_renamed_resource_follows_its_new_name():
    template, group, _ = chain()
    total = running(template, group)

    total.count(machine("renamed", 1), [template.urn], deletes_first=False)

    assert total.becoming.known[group.urn].relations == {"lt": (urn("renamed"),)}
    assert template.urn not in total.becoming.known


def test_what_was_registered_before_a_rename_stays_as_it_was_registered():
    template, group, _ = chain()
    total = running(template, group)
    see(total, machine("group", 5))

    total.count(machine("renamed", 1), [template.urn], deletes_first=False)

    assert total.becoming.known[group.urn].inputs == {"monitoring": 5}


def test_a_new_resource_may_refer_to_one_that_is_renamed_after_it():
    template, *_ = chain()
    total = running(template)
    see(total, machine("new", 5, {"lt": (template.urn,)}))

    total.count(machine("renamed", 1), [template.urn], deletes_first=False)

    assert total.becoming.known[urn("new")].relations == {"lt": (template.urn,)}


def test_a_group_is_counted_again_when_what_it_stands_on_changes():
    template = Resource(
        urn=urn("lt"), type=INSTANCE, name="lt", inputs={"monitoring": 1}, outputs={"id": "lt-1"}
    )
    group = machine("group", 0, relations={"lt": (urn("lt"),)}, lt="lt-1")
    total = running(template, group)
    assert total.total.per_hour == 2
    step = see(total, machine("lt", 5))
    assert step.growth.per_hour == 8


def test_a_group_that_names_it_by_its_id_alone_is_counted_again_too():
    template = replace(machine("lt", 1), outputs={"id": "lt-1"})
    group = machine("group", 0, lt="lt-1", tags=["lt-1", {"of": "lt-1"}])
    other = machine("other", 0, lt="lt-2")
    total = running(template, group, other)
    assert total.total.per_hour == 2
    assert see(total, machine("lt", 5)).growth.per_hour == 8


def chain(price=1):
    """A template, a group on it and what lets the group grow, each naming the one before."""
    template = replace(machine("lt", price), outputs={"id": "lt-1"})
    group = machine("group", 0, relations={"lt": (urn("lt"),)}, lt="lt-1")
    scaler = machine("scaler", 0, relations={"group": (urn("group"),)}, lt="lt-1")
    return template, group, scaler


def test_what_refers_to_it_through_others_is_counted_again_too():
    total = running(*chain())
    step = see(total, machine("lt", 5))
    assert step.growth.per_hour == 12
    assert step.total.per_hour == 15


def test_what_does_not_change_makes_nothing_else_grow():
    template, group, scaler = chain()
    total = running(template, group, scaler)
    cost_of = total.becoming.cost
    priced = []
    total.becoming.cost = lambda resource: priced.append(resource.name) or cost_of(resource)
    assert see(total, template).growth.adds_nothing
    assert priced == ["lt"]


def test_what_is_left_out_leaves_out_what_rests_on_it():
    total = running(*chain())
    assert see(total, machine("lt", None)).total.unknown
    total.leave_out(urn("lt"))
    assert total.total.unknown == ()
    assert total.total.per_hour == 3


def test_dependencies_are_learned_when_the_whole_is_shown():
    total = running()
    see(total, machine("lt", 7), machine("group", 1))
    total.relate({urn("group"): {"lt": (urn("lt"),)}, urn("elsewhere"): {}})
    known = total.becoming.known[urn("group")]
    assert known.relations == {"lt": (urn("lt"),)}
    assert known.inputs == {"monitoring": 1}


def test_ids_of_what_the_update_made_are_learned():
    total = running()
    see(total, machine("lt", 7))
    first = see(total, machine("group", None, lt="lt-9"))
    assert first.growth.unknown == ("group has no price",)
    made = machine("lt", 1)
    outputs = {"id": "lt-9"}
    total.add_outputs(
        [
            ExistingResource(
                resource=Resource(
                    urn=made.urn, type=INSTANCE, name="lt", inputs={}, outputs=outputs
                )
            )
        ]
    )
    again = see(total, machine("group", None, lt="lt-9"))
    assert (again.growth.per_hour, again.total.unknown) == (7, ())
