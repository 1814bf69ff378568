"""The rate that a stack's report tells is the one that its quote counts."""

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.catalog.price_book import CATALOG
from gpuinfra.catalog.rates import rung_rate
from gpuinfra.planning import choices, stack_graph
from gpuinfra.planning.machine_hours import machine_hours
from gpuinfra.stackfile import loads

STACK = """
version: 1
name: lab
owner: me
where: {cloud: aws, regions: [us-east-1]}
budget: {per_hour: 500, notify: [me@example.com]}
monitoring: {report: true}
training: {t: {instance: g6.xlarge}}
"""


def hour(**rung):
    (group,) = choices(loads(STACK).stack).groups
    changed = replace(group.rung, **rung)
    return machine_hours([replace(group, rungs=(changed,), active_rung=0)]).get("t"), changed


@pytest.mark.parametrize("capacity", ["on-demand", "reserved"])
def test_the_list_price_is_that_of_the_quote(capacity: str) -> None:
    known, rung = hour(capacity=capacity)

    assert known is not None
    assert known.price == rung_rate("aws", rung, CATALOG).ceiling
    assert known.as_of


def test_a_spot_price_counts_however_old_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    now, rung = hour(capacity="spot", spot_share_above_base=Decimal(1))
    monkeypatch.setattr("gpuinfra.catalog.rates.today", lambda: date(2099, 1, 1))
    later, _ = hour(capacity="spot", spot_share_above_base=Decimal(1))

    assert now == later
    assert now is not None
    assert now.price < (rung_rate("aws", rung, CATALOG).ceiling or 0)


def test_machines_of_two_kinds_have_no_one_price() -> None:
    assert hour(capacity="spot", spot_share_above_base=Decimal("0.5"))[0] is None
    assert hour(capacity="spot", on_demand_base=1, spot_share_above_base=Decimal(1))[0] is None
    assert hour(machine="of-tomorrow")[0] is None


def test_the_report_is_declared_with_it() -> None:
    stack = loads(STACK).stack
    graph = stack_graph(stack, choices(stack))
    (report,) = (
        resource for resource in graph.resources.values() if resource.name == "lab-report-function"
    )
    groups = report.inputs["environment"]["variables"]["GROUPS"]
    known, _ = hour()

    assert known is not None
    (facts,) = json.loads(groups)
    assert (facts["rate"], facts["as_of"]) == (f"{known.price:f}", known.as_of)
