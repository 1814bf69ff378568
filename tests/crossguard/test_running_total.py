"""The running total: what stands counts until it is deleted, replacements twice."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.crossguard.update_cost import ZERO_COST, Cost
from gpuinfra.model import UNKNOWN
from tests.crossguard.priced_machines import INSTANCE, machine, running, see, urn


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


def test_a_group_that_is_deleted_first_starts_nothing_of_its_former_template():
    former = replace(machine("former", 5), outputs={"id": "lt-1"})
    present = replace(machine("present", 10), outputs={"id": "lt-2"})
    group = machine("group", 0, lt="lt-1")
    total = running(former, present, group)
    see(total, replace(former, inputs={"monitoring": 60}))

    moved = replace(group, inputs={**group.inputs, "lt": "lt-2"})
    step = see(total, moved, deletes_first=True)

    assert step.total.per_hour == 60 + 10 + 10


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
