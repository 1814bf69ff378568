"""What `status` prints of a stack that stands."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra import cost
from gpuinfra.api import check
from gpuinfra.api.preparing import StatusResult
from gpuinfra.api.resource_workloads import workload_finder
from gpuinfra.cli import run
from gpuinfra.cli.commands.status import show
from gpuinfra.cost.cost_rate_changes import REST_LABEL, movement
from gpuinfra.engine.contract import StackStatus, StateResource
from gpuinfra.model import Plan, Resource
from gpuinfra.units import round_half_up

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
    """The rate of each row, and the one below them under "in total"."""
    show(STANDS, name_of, plan, quote, plan.caps, "normal")
    text = capsys.readouterr().out
    rates = re.findall(r"^(the rest|\S+) .*?(<?\$\d+\.\d+)(?:  .*)?$", text, re.MULTILINE)
    total = re.search(r"in total at most \$([\d.]+)/h", text)
    assert total
    assert not quote.rates or "not counted (`gpuinfra cost . -v`)" in " ".join(text.split())
    return {**dict(rates), "in total": total[1]}


@pytest.fixture(scope="module")
def judged():
    return checked("quickstart")


def checked(name):
    return check(f"stacks/{name}")


def test_its_rows_are_those_of_a_preview(judged, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    name_of = workload_finder(judged.document)
    named = {group.name for group in judged.plan.groups}
    moved = movement(None, judged.quote, name_of)

    rates = shown(judged.quote, judged.plan, capsys, name_of)

    assert named < set(rates)
    assert {row: rate for row, rate in rates.items() if row != "in total"} == {
        move.workload: f"${round_half_up(move.after.per_hour, Decimal('0.001'))}"
        for move in moved.moves
    }


@pytest.mark.parametrize("name", ["enterprise-gcp", "enterprise-azure", "training"])
def test_its_rows_add_up_to_the_total_as_they_are_shown(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    loaded = checked(name)

    rates = shown(loaded.quote, loaded.plan, capsys, workload_finder(loaded.document))

    *rows, total = (Decimal(rate.replace("<$0.001", "0").lstrip("$")) for rate in rates.values())
    assert len(rows) > 1
    assert round_half_up(sum(rows)) == total


def test_its_workloads_stay_a_table_on_a_narrow_terminal(judged, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    show(STANDS, workload_finder(judged.document), judged.plan, judged.quote, judged.plan.caps, "")

    lines = capsys.readouterr().out.splitlines()
    assert any(re.match(r"trainer +2 × g6\.8xlarge +spot@us-east-1 ", line) for line in lines)


def test_a_group_of_no_workload_has_its_own_row(judged, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")

    rates = shown(judged.quote, judged.plan, capsys, lambda name: REST_LABEL)

    assert {group.name for group in judged.plan.groups} < set(rates)
    assert rates["the rest"] == "$0.016"


@pytest.mark.parametrize(
    ("kept", "line"),
    [
        ({}, "with trainer on on-demand@us-east-1: at most $6.68/h"),
        ({"trainer": "on-demand"}, ""),
        ({"trainer": "reserved", "gone": "spot"}, "with trainer on on-demand@us-east-1"),
    ],
)
def test_it_tells_what_the_other_rungs_cost_as_check_counts_them(
    judged, capsys, monkeypatch, kept, line
):
    config = {f"gpuinfra:rung.{name}": rung for name, rung in kept.items()}
    bucket = Resource(urn="urn:a", type="aws:s3/bucket:Bucket", name="data", inputs={})
    resource = StateResource(resource=bucket, id="data", custom=True, created=None, modified=None)
    standing = replace(STANDS, resources=(resource,), config=config)
    result = StatusResult(
        check=judged, target="sandbox", standing=standing, plan=judged.plan, quote=judged.quote
    )
    monkeypatch.setattr("gpuinfra.cli.commands.status.status_of", lambda *_: result)

    run(["status", "stacks/quickstart", "--target", "sandbox"])

    out = " ".join(capsys.readouterr().out.split())
    assert "in total at most" in out
    assert (line in out) if line else ("with trainer on" not in out)
