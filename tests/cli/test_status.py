"""What `status` prints of a stack that stands."""

import re

import pytest

from gpuinfra import cost
from gpuinfra.api import check
from gpuinfra.api.rates import workload_of
from gpuinfra.cli.commands.status import show
from gpuinfra.cli.views.render import money
from gpuinfra.cost.movement import REST, movement
from gpuinfra.engine.contract import StackStatus
from gpuinfra.model import Plan

STANDS = StackStatus(
    project="quickstart",
    target="sandbox",
    resources=(),
    pending=(),
    outputs={},
    config={},
    updated=None,
)


def shown(
    quote: cost.Quote, plan: Plan, capsys: pytest.CaptureFixture[str], name_of
) -> dict[str, str]:
    """The rate of each row, and the one below them under "in all"."""
    show(STANDS, name_of, plan, quote, plan.caps, "normal")
    text = capsys.readouterr().out
    rates = re.findall(r"^(the rest|\S+) .*?(\d+\.\d+)(?:  .*)?$", text, re.MULTILINE)
    total = re.search(r"in all at most \$([\d.]+)/h", text)
    assert total
    return {**dict(rates), "in all": total[1]}


@pytest.fixture(scope="module")
def judged():
    return check("stacks/quickstart")


def test_its_rows_are_those_of_a_preview(judged, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    name_of = workload_of(judged.document)
    named = {group.name for group in judged.plan.groups}
    moved = movement(None, judged.quote, name_of)

    rates = shown(judged.quote, judged.plan, capsys, name_of)

    assert named < set(rates)
    assert {row: rate for row, rate in rates.items() if row != "in all"} == {
        move.workload: money(move.after.per_hour) for move in moved.moves
    }


def test_a_group_of_no_workload_has_its_own_row(judged, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")

    rates = shown(judged.quote, judged.plan, capsys, lambda name: REST)

    assert {group.name for group in judged.plan.groups} < set(rates)
    assert rates["the rest"] == "0.0147"
