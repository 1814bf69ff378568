"""What `status` prints of a stack that stands."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra import cost
from gpuinfra.api import check
from gpuinfra.cli.commands.status import show
from gpuinfra.engine.contract import StackStatus

STANDS = StackStatus(
    project="development",
    target="sandbox",
    resources=(),
    pending=(),
    outputs={},
    config={},
    updated=None,
)


def shown(quote: cost.Quote, plan, capsys: pytest.CaptureFixture[str]) -> str:
    show(STANDS, plan, plan, quote, "normal")
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def judged():
    return check("stacks/development")


def test_its_rows_add_up_to_its_total(judged, capsys):
    text = shown(judged.quote, judged.plan, capsys)
    rows = text[: text.index("in all")]
    rates = [Decimal(rate) for rate in re.findall(r"^.* (\d+\.\d+)(?:  .*)?$", rows, re.MULTILINE)]
    total = Decimal(re.search(r"in all at most \$([\d.]+)/h", text)[1])

    assert "the rest" in text
    assert abs(sum(rates) - total) <= Decimal("0.01")


def test_nothing_stands_beside_machines_that_cost_it_all(judged, capsys):
    quote = judged.quote
    rates = {rung.group: rung.per_hour for rung in quote.rungs}
    whole = sum(rates[group.name] for group in judged.plan.groups)
    alone = replace(quote, per_hour=replace(quote.per_hour, ceiling=whole))

    assert "the rest" not in shown(alone, judged.plan, capsys)
