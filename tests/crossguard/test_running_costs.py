"""What machines cost that pass from a group to another, or that grow in number."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra.crossguard import running_costs
from gpuinfra.crossguard.update_cost import Cost


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
