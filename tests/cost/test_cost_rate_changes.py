from dataclasses import replace
from datetime import date
from decimal import Decimal

from gpuinfra.api.checking import check_stack
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cost.cost_rate_changes import REST_LABEL, CostRate, movement
from tests.cli.conftest import STACKS
from tests.cost.test_ladder import SPOT, group, quoted


def same(name: str) -> str:
    return name


def test_each_workload_has_its_rate_before_and_after():
    two = group("b", replace(SPOT, max_price=Decimal(10)))
    moved = movement(quoted(group("a", SPOT)), quoted(group("a", SPOT), two), same)

    assert [(move.workload, move.before is None, move.per_hour) for move in moved.moves] == [
        ("b", True, Decimal(40)),
        ("a", False, Decimal(0)),
    ]
    assert moved.total.before == CostRate(per_hour=Decimal(160), per_month=Decimal(116800))
    assert moved.total.per_hour == 40
    assert not moved.is_unchanged


def test_nothing_before_is_no_rate_and_nothing_after_takes_all_away():
    quote = quoted(group("a", SPOT))
    made, gone = movement(None, quote, same), movement(quote, None, same)

    assert made.total.before is None
    assert (made.total.per_hour, gone.total.per_hour) == (160, -160)
    assert movement(None, None, same).is_unchanged


def test_a_total_with_an_unpriced_part_is_not_whole():
    nowhere = replace(SPOT, capacity="on-demand", max_price=None, region="eu-west-3")
    moved = movement(None, quoted(group("a", nowhere)), same)

    assert moved.total.after == CostRate(is_complete=False)


def test_a_resource_belongs_to_the_workload_of_the_longest_name():
    document = check_stack(STACKS / "quickstart", {}, date(2026, 11, 21)).document
    name_of = workload_finder(document)

    assert name_of("trainer-group") == "trainer"
    assert name_of("chat") == "chat"
    assert name_of("trainers") == REST_LABEL
    assert name_of("urn:pulumi:x::y::z::other") == REST_LABEL
