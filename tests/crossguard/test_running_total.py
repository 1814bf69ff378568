"""The running total: what stands counts until it is deleted, replacements twice."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.clouds.observing.reservation_use import Occupancy
from gpuinfra.clouds.observing.values import texts_in
from gpuinfra.crossguard import running_costs
from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.running_total import RunningTotal
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import UNKNOWN, Resource

INSTANCE = "aws:ec2/instance:Instance"
THIRD = Decimal(10) / 3


def urn(name):
    return f"urn:pulumi:dev::proj::{INSTANCE}::{name}"


def machine(name, price, relations=None, **inputs):
    """A machine that costs its monitoring an hour; monitoring changes in place."""
    return Resource(
        urn=urn(name),
        type=INSTANCE,
        name=name,
        inputs={"monitoring": price, **inputs},
        relations=relations or {},
    )


class Prices:
    """A world where a resource costs what it says, or what the one that it refers to says."""

    def __init__(self):
        self.known = {}

    def add(self, resource, former_urn=""):
        self.known.pop(former_urn, None)
        self.known[resource.urn] = resource

    def cost(self, resource):
        goal = resource.inputs.get("lt", resource.outputs.get("id"))
        templates = [
            candidate
            for candidate in self.known.values()
            if goal and candidate.outputs.get("id") == goal
        ]
        template = templates[0] if templates else resource
        price = template.inputs["monitoring"]
        if price is None:
            amounts = (("machines", resource.inputs.get("count", 1)),)
            return Cost(unknown=(f"{resource.name} has no price",), amounts=amounts)
        left = Decimal(price - sum(self.occupancy(resource).machines.values()))
        return Cost(per_hour=left, per_month=left * 730)

    def kept_cost(self, resource, used):
        left = Decimal(max(0, resource.inputs["monitoring"] - used))
        return Cost(per_hour=left, per_month=left * 730)

    def occupancy(self, resource):
        return Occupancy(
            {
                other.urn: other.inputs["monitoring"]
                for other in self.known.values()
                if other.inputs.get("of") == resource.urn
            }
        )

    def reserves(self, resource):
        return resource.inputs.get("keeps", False)

    def names(self, resource):
        return [resource.outputs["id"]] if "id" in resource.outputs else []

    def named_by(self, resource):
        return texts_in(resource.inputs)


def running(*standing):
    rows = [
        resource if isinstance(resource, ExistingResource) else ExistingResource(resource=resource)
        for resource in standing
    ]
    return RunningTotal(rows, Prices)


def see(total, *resources, deletes_first=False):
    for resource in resources:
        step = total.count(resource, deletes_first=deletes_first)
    return step


def test_what_is_kept_is_paid_once_when_its_machines_come():
    total = running()
    kept = machine("kept", 40, keeps=True)

    alone = see(total, kept)
    used = see(total, machine("machines", 30, of=kept.urn))

    assert alone.total.per_hour == 40
    assert used.growth.per_hour == 0
    assert used.total.per_hour == 40


def test_new_resources_add_up():
    total = running()
    assert see(total, machine("a", 55)).growth.per_hour == 55
    step = see(total, machine("b", 55))
    assert (step.growth.per_hour, step.total.per_hour) == (55, 110)
    assert step.total.per_month == 110 * 730


def test_what_stands_counts_once_when_it_stays():
    total = running(machine("a", 55), machine("b", 55))
    step = see(total, machine("a", 55))
    assert step.growth.adds_nothing
    assert step.total.per_hour == 110


def test_a_swap_counts_both_groups():
    total = running(machine("old", 55))
    step = see(total, machine("new", 55))
    assert (step.updated_in_place, step.total.per_hour) == (False, 110)
    assert total.unregistered_billable() == (urn("old"),)


def test_a_resource_that_grows_counts_the_difference_and_one_that_shrinks_counts_as_it_is():
    total = running(machine("a", 55), machine("b", 55))
    step = see(total, machine("a", 60))
    assert (step.updated_in_place, step.growth.per_hour) == (True, 5)
    step = see(total, machine("b", 10))
    assert step.growth.adds_nothing
    assert step.total.per_hour == 115


def test_a_group_that_is_replaced_runs_its_new_template_until_it_is_deleted():
    """Found by a life: the template grew, and the group that it belongs to was replaced."""
    template = machine("template", 5)
    template = replace(template, outputs={"id": "lt-1"})
    group = machine("group", 0, {"lt": (template.urn,)}, lt="lt-1", zones="a")
    total = running(template, ExistingResource(resource=group, replaced_on_any_change=True))

    see(total, replace(template, inputs={"monitoring": 60}))
    step = see(total, replace(group, inputs={**group.inputs, "zones": "b"}))

    assert step.counted_twice
    assert step.total.per_hour == 60 + 60 + 60


def test_what_is_retained_is_not_deleted_first():
    old, new = machine("a", 55, instanceType="x"), machine("a", 60, instanceType="y")

    step = see(running(ExistingResource(resource=old, retained=True)), new, deletes_first=True)

    assert step.counted_twice
    assert step.total.per_hour == 115


def test_a_replacement_counts_twice_unless_it_deletes_first():
    old, new = machine("a", 55, ami="1"), machine("a", 60, ami="2")
    step = see(running(old), new)
    assert (step.counted_twice, step.updated_in_place, step.total.per_hour) == (True, False, 115)
    step = see(running(old), new, deletes_first=True)
    assert (step.counted_twice, step.total.per_hour) == (False, 60)


def test_a_replaced_resource_that_was_not_deleted_yet_stands():
    total = running(
        machine("a", 55), ExistingResource(resource=machine("a", 50), awaits_deletion=True)
    )
    assert see(total, machine("a", 55)).total.per_hour == 105
    assert [name.partition(" ")[2] for name in total.unregistered_billable()] == [
        "(replaced, not yet deleted: 1)"
    ]


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


def test_a_machine_that_changes_in_place_stays_in_what_is_kept_for_it():
    kept = machine("kept", 40, keeps=True)
    total = running(kept, machine("a", 30, of=kept.urn))

    assert see(total, machine("a", 35, of=kept.urn)).total.per_hour == 40


def test_a_machine_that_waits_for_its_deletion_runs_in_what_is_kept_for_it():
    kept = machine("kept", 40, keeps=True)
    old = machine("a", 30, of=kept.urn)
    total = running(kept, ExistingResource(resource=old, awaits_deletion=True))

    assert total.total.per_hour == 40
    assert see(total, machine("b", 10)).total.per_hour == 50


def of_machines(count, price=10):
    return Cost(per_hour=Decimal(count) * price, machines=count)


@pytest.mark.parametrize(
    ("group", "other", "passed"),
    [
        ((1, 3), (1, 0), 1),  # the group gains two, of which the other had one
        ((1, 2), (3, 0), 1),
        ((1, 2), (1, 0), 1),
        ((3, 1), (0, 1), -1),  # the other gains what the group loses
        ((3, 2), (0, 2), -1),
        ((1, 1), (1, 0), 0),
        ((1, 2), (1, 1), 0),
        ((1, 2), (0, 1), 0),  # both gain
        ((2, 1), (1, 0), 0),  # both lose
    ],
)
def test_machines_pass_between_two_as_far_as_one_gains_what_the_other_loses(group, other, passed):
    share = running_costs.Share(before=of_machines(group[0]), after=of_machines(group[1]))

    cost = running_costs.transferred_cost(share, *map(of_machines, other))

    assert cost == (of_machines(passed) if passed else None)


def test_no_machine_passes_where_it_is_unknown_how_many_there_are():
    group = running_costs.Share(before=replace(of_machines(3), machines=0), after=of_machines(3))

    assert running_costs.transferred_cost(group, of_machines(3), of_machines(1)) is None


def test_an_interrupted_create_counts_beside_the_new_attempt():
    total = running(ExistingResource(resource=machine("a", 55), pending_operation="creating"))
    assert see(total, machine("a", 55)).total.per_hour == 110


def test_an_interrupted_update_counts_once_at_its_larger_size():
    total = running(
        machine("a", 55), ExistingResource(resource=machine("a", 60), pending_operation="updating")
    )
    assert total.total.per_hour == 60


def test_a_renamed_resource_is_known_by_its_alias():
    total = running(machine("a", 55))
    step = total.count(machine("b", 55), [urn("a")], deletes_first=False)
    assert step.growth.adds_nothing
    assert total.unregistered_billable() == ()


@pytest.mark.parametrize(("count", "grows"), [(1, False), (2, True)])
def test_what_has_no_price_is_no_growth_when_it_is_renamed(count, grows):
    total = running(machine("a", None))

    step = total.count(machine("b", None, count=count), [urn("a")], deletes_first=True)

    assert bool(step.growth.unknown) is grows


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
    total._set_share(urn("group"), before=machines(1, base))
    total._set_share(urn("schedule"), before=machines(1, price))
    total.becoming.cost = lambda resource: costs[resource.name]

    step = see(total, replace(group, inputs={**group.inputs, "monitoring": 56}))

    assert abs(step.total.per_hour - most) < Decimal("0.0001")


def test_a_group_takes_no_machines_over_from_what_only_names_one_like_it():
    # Groups of one name in two regions: the schedule of the other refers to neither's URN.
    group = replace(machine("group", 55), outputs={"id": "g-1"})
    total = running(group, machine("schedule", 0, of_group="g-1"))
    one_machine, three = (Cost(per_hour=Decimal(55 * count), machines=count) for count in (1, 3))
    total._set_share(urn("group"), before=one_machine)
    total._set_share(urn("schedule"), before=one_machine)
    total.becoming.cost = lambda resource: {"group": three}.get(resource.name, ZERO_COST)

    step = see(total, replace(group, inputs={**group.inputs, "monitoring": 56}))

    assert step.total.per_hour == 220


def test_a_machine_that_is_renamed_leaves_what_is_kept_for_it():
    kept = machine("kept", 40, keeps=True)
    total = running(kept, machine("a", 40, of=kept.urn))
    assert total.total.per_hour == 40

    total.count(machine("b", 40), [urn("a")], deletes_first=False)

    assert total.total.per_hour == 3 * 40  # kept, a until it goes, and b beside it


@pytest.mark.parametrize(
    ("kind", "change", "grows"),
    [
        ("aws:rds/instance:Instance", {"tags": {}}, False),  # no table says that it is replaced
        (INSTANCE, {"tags": {}}, False),
        (INSTANCE, {"ami": "ami-2"}, True),
    ],
)
def test_a_second_one_of_unknown_price_is_growth_where_it_is_surely_made(kind, change, grows):
    standing = replace(machine("a", None), type=kind)

    step = see(running(standing), replace(standing, inputs={**standing.inputs, **change}))

    assert bool(step.growth.unknown) is grows


@pytest.mark.parametrize(
    ("before", "after", "grows"),
    [
        (1, 3, True),
        (3, 1, False),
        (2, 2, False),
        (2, UNKNOWN, True),
        (UNKNOWN, 2, True),
        (UNKNOWN, UNKNOWN, False),
    ],
)
def test_more_of_what_has_an_unknown_price_is_growth(before, after, grows):
    total = running(machine("a", None, count=before))

    step = see(total, machine("a", None, count=after), deletes_first=True)

    assert bool(step.growth.unknown) is grows


@pytest.mark.parametrize(
    ("before", "after", "most"),
    [
        ((2, 110), (90, 90), 110 + 88),  # cheaper ones come beside those that run
        ((2, 2), (90, 4950), 4950),  # those that run may be made anew as dearer ones
        ((3, 165), (1, 1), 165),
        ((0, 10), (2, 4), 10),
    ],
)
def test_machines_that_run_may_stay_while_others_come(before, after, most):
    standing, planned = (
        Cost(per_hour=Decimal(cost), per_month=Decimal(cost), machines=count)
        for count, cost in (before, after)
    )

    grown = standing.growing_to(planned)

    assert (grown.per_hour, grown.per_month) == (most, most)


def test_two_of_one_thing_exceed_one_of_it():
    cost = Cost(unknown=("x",), amounts=(("disk", UNKNOWN),))

    assert (cost + cost).may_exceed(cost)
    assert not cost.may_exceed(cost + cost)


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


def test_looking_again_at_what_stays_unknown_is_growth_all_the_same():
    total = running()
    assert see(total, machine("a", None)).growth.unknown
    assert see(total, machine("a", None)).growth.unknown


def test_two_resources_that_are_unknown_for_the_same_reason_both_grow():
    total = running()
    nested = replace(machine("a", None), urn="urn:pulumi:dev::proj::b:c:D$aws:ec2/x:X::a")
    assert see(total, machine("a", None)).growth.unknown
    assert see(total, nested).growth.unknown


def test_an_unknown_price_stays_unknown_until_it_is_taken_back():
    total = running(machine("old", None))
    assert total.total.unknown == ("old has no price",)
    see(total, machine("new", None))
    assert total.total.unknown == ("old has no price", "new has no price")
    total.leave_out(urn("new"))
    assert total.total.unknown == ("old has no price",)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2000])
def test_counting_is_linear(count):
    total = running(*(machine(f"old-{number}", 1) for number in range(count)))
    step = see(total, *(machine(f"new-{number}", 1) for number in range(count)))
    assert step.total.per_hour == 2 * count


def test_nothing_is_nothing():
    assert ZERO_COST.adds_nothing
    assert not Cost(unknown=("x",)).adds_nothing
