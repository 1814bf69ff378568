"""Training ends after a time."""

import math
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.api.checking import check_stack
from gpuinfra.model import UNKNOWN, Rung
from gpuinfra.report.examples import example
from gpuinfra.rules.time_limit import RULE
from tests.rules.cases.judging import findings, group, plan


@pytest.mark.parametrize(
    ("purpose", "ends", "outcome"),
    [
        ("training", True, "fine"),
        ("training", False, "violated"),
        ("training", None, "violated"),
        ("training", UNKNOWN, "not-knowable"),
        ("unknown", True, "fine"),
        ("unknown", False, "not-knowable"),
        ("inference", False, "not-applicable"),
    ],
)
def test_training_ends_after_a_time(purpose, ends, outcome):
    (finding,) = findings(plan(group(purpose=purpose, ends=ends)), "time-limit")
    assert (finding.outcome, finding.level) == (outcome, "advisory")
    if outcome == "not-knowable":
        assert ("unknown whether it trains" in finding.message) is (purpose == "unknown")


def test_the_example_follows_the_advice():
    hours = re.search(r"(\d+h) for (\d+h)$", RULE.stack_file_fix)

    assert f"duration: {hours[2]}, time_to_live: {hours[1]}" in example(RULE.id).good


@pytest.mark.parametrize(
    ("end", "outcome"), [(12, "violated"), (24, "fine"), (None, "not-knowable")]
)
def test_machines_that_end_before_their_run_are_told(end, outcome):
    within = None if end is None else Decimal(end)
    early = group(ends=True, ends_within=within, hours=Decimal(24))
    (finding,) = findings(plan(early), "time-limit")
    assert finding.outcome == outcome
    if outcome == "violated":
        assert finding.message == "its machines end after 12 h, before its run of 24 h ends"


@pytest.mark.parametrize("stated", ["ends_after", "ends_claimed"])
def test_the_hours_that_are_left_of_a_run_are_not_its_length(stated):
    begun = group(ends=True, ends_within=Decimal("2.8"), hours=Decimal(4), **{stated: Decimal(5)})
    (finding,) = findings(plan(begun), "time-limit")
    assert finding.outcome == "fine"


def test_a_capacity_block_ends_its_machines():
    block = group(ends=False)
    rung = Rung(capacity="capacity-block", machine="p5.48xlarge", region="us-east-1", zones=())
    (finding,) = findings(plan(replace(block, rungs=(rung,))), "time-limit")
    assert (finding.outcome, finding.message) == (
        "fine",
        "its machines end with their capacity block",
    )


CHECKPOINTS = "{bucket: out, every: 1h, size: 2TB, write: 1GB/s, restart: 30m}"


@pytest.mark.parametrize(
    ("capacity", "more", "end"),
    [
        ("on-demand", "", 60),
        ("on-demand", f"checkpoints: {CHECKPOINTS}", 94),
        ("spot", f"checkpoints: {CHECKPOINTS}, interruptions: 1%", 94),
        ("spot", f"checkpoints: {CHECKPOINTS}, interruptions: 90%", 96),
        ("spot", "checkpoints: {bucket: out, every: 1h}, interruptions: 90%", 60),
    ],
)
def test_the_suggested_time_has_room_for_the_run_with_its_writes_and_interruptions(
    tmp_path, capacity, more, end
):
    path = tmp_path / "stack.yaml"
    work = f"{{instance: p5.48xlarge, nodes: 2, duration: 48h, capacity: {capacity}, {more}}}"
    path.write_text(
        "name: demo\nowner: me\nwhere: {cloud: aws, regions: [us-east-1]}\n"
        f"buckets: {{out: {{size: 1TB}}}}\ntraining:\n  t: {work}\n"
    )
    checked = check_stack(path, {}, date(2026, 6, 1))
    (fix,) = (each.fix for each in checked.verdict.findings if each.rule == "time-limit")
    (outlook,) = checked.outlooks
    taken = {option.mode: option.hours for option in outlook.options}[capacity]

    assert fix == f"add time_to_live: {end}h"
    if taken is not None:
        assert end == math.ceil(1.25 * taken.p90)
