"""The fix of a stack file is the smallest with which the real check passes."""

from pathlib import Path

import pytest

from gpuinfra import stackfile
from gpuinfra.fixes.options import LEFT_ALONE
from gpuinfra.fixes.stack_file_edits import write as written
from gpuinfra.source import Source
from gpuinfra.units import hours, parse_duration
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414
from tests.fixes.conftest import AS_OF, SMALL, WITHOUT_RDMA, judge

POOL = """\
inference:
  chat:
    gpu: L4:1
    replicas: 1..4
    scale_on: {gpu_utilization: 70%}
    capacity: {on_demand_base: 1, above: spot}
    image: vllm/vllm-openai:v0.11.0
    port: 8000
buckets:
"""
NO_CHECKPOINTS = ("    checkpoints: {bucket: data}\n", "")
ON_SPOT = ("capacity: on-demand", "capacity: [spot, on-demand]\n    max_price: 40")

CASES = {
    "over the hour on demand": (
        (("per_hour: 120", "per_hour: 100"),),
        ("capacity: [spot, on-demand], now on-demand", "max_price: 49.84"),
    ),
    "over the hour on spot, which is cheaper in another region": (
        (
            ("per_hour: 120", "per_hour: 40"),
            (ON_SPOT[0], "capacity: spot"),
            ("us-east-2", "us-east-1"),
        ),
        ("where.regions: [us-east-2], now [us-east-1]", "max_price: 19.84"),
    ),
    "over the hour on spot": (
        (("per_hour: 120", "per_hour: 60"), ON_SPOT),
        ("max_price: 29.92, now 40",),
    ),
    "a step with a maximum of its own": (
        (
            ("per_hour: 120", "per_hour: 60"),
            (ON_SPOT[0], "capacity: [{spot: {max_price: 40}}, on-demand]"),
        ),
        ("capacity.0.spot.max_price: 29.92, now 40",),
    ),
    "a maximum price that is too high": (
        (("per_hour: 120", "per_hour: 100"), (ON_SPOT[0], "capacity: spot\n    max_price: 70")),
        ("max_price: 49.84, now 70",),
    ),
    "spot without checkpoints": (
        ((ON_SPOT[0], "capacity: spot"), NO_CHECKPOINTS),
        ("checkpoints: {bucket: data, every: 10m}",),
    ),
    "no fabric on the machine": (
        (("p5.48xlarge", "g6.xlarge"),),
        ("instance: g6.8xlarge, now g6.xlarge",),
    ),
    "no NVLink on the machine": (
        (("instance: p5.48xlarge", "gpu: {model: L4, count: 8, nvlink: true}"),),
        ("gpu.model: A100-SXM-40GB, now L4",),
    ),
    "a region that does not sell it": (
        (("p5.48xlarge", "p4d.24xlarge"), ("us-east-2", "us-west-1")),
        ("where.regions: [us-east-2], now [us-west-1]",),
    ),
    "a region without prices": (
        (("us-east-2", "eu-west-3"),),
        ("where.regions: [eu-north-1], now [eu-west-3]",),
    ),
    "too few GPUs on spot": (
        (("buckets:\n", POOL), ("# Two", "rules: {spot-share: {minimum: 20%}}\n# Two")),
        ("trainer.capacity: [spot, on-demand], now on-demand",),
    ),
    "a file system that is too slow": (
        (
            (
                "    checkpoints",
                "    shared_storage: {size: 1.2TiB, throughput: 125}\n    checkpoints",
            ),
            ("# Two", "rules: {storage-speed: {level: mandatory}}\n# Two"),
        ),
        ("shared_storage.throughput: 1000, now 125",),
    ),
    "nothing that ends a run": (
        (("# Two", "rules: {time-limit: {level: mandatory}}\n# Two"),),
        ("time_to_live: 90h",),
    ),
    "a disk beyond its limits, over the hour": (
        (
            ("per_hour: 120", "per_hour: 60"),
            ON_SPOT,
            ("    nodes", "    disk: {size: 200GB, throughput: 1500}\n    nodes"),
        ),
        ("disk.iops: 6000", "max_price: 29.78, now 40"),
    ),
}


SPOT_WITHOUT_PRICES = """\
name: demo
owner: ml
budget: {per_hour: 60, per_run: 1000}
prices: {accept_outdated: true}
where: {cloud: azure, regions: [eastus]}
training:
  lora:
    gpu: {model: H100, count: 8}
    capacity: spot
    nodes: 2
    duration: 12h
"""


def test_a_fabric_that_is_required_becomes_preferred_before_it_is_removed(propose):
    fixes = propose(WITHOUT_RDMA, thorough=False).fixes

    assert [str(fix).partition(" (")[0] for fix in fixes] == [
        "training.lora.fabric: preferred, now required"
    ]
    assert fixes[0].settled_findings == (("fabric-driver", "training.lora"),)
    assert fixes[0].passes_check


@pytest.mark.parametrize("thorough", [False, True])
def test_a_maximum_price_comes_before_other_machines_where_no_spot_price_is_known(
    thorough, propose
):
    fix = propose(SPOT_WITHOUT_PRICES, thorough=thorough).complete_fix

    assert fix is not None
    assert {edit.path[-1] for edit in fix.edits} == {"max_price", "checkpoints"}
    assert ("buckets.checkpoints", {"size": "1TB"}) in [
        (".".join(map(str, edit.path)), edit.after) for edit in fix.edits
    ]
    assert not fix.effect.losses
    assert any("its spot price in eastus is unknown" in words for words in fix.effect.assumptions)


def test_no_maximum_price_is_proposed_that_spot_never_falls_to(propose):
    over = SPOT_WITHOUT_PRICES.replace("per_hour: 60, per_run: 1000", "per_hour: 15")

    fixes = propose(over, thorough=False).fixes

    assert not any(edit.path[-1] == "max_price" for fix in fixes for edit in fix.edits)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_check_passes_with_the_fix(case, text, propose, write, gpuinfra):
    replaced, expected = CASES[case]
    before = text(*replaced)

    fix = propose(before).complete_fix

    assert fix is not None
    assert len(fix.edits) == len(expected)
    for edit, words in zip(fix.edits, expected, strict=True):
        assert words in str(edit)
    assert not fix.effect.losses
    path = write(written(before, fix.edits))
    assert gpuinfra("check", path, *AS_OF).code == 0


def test_no_bid_is_below_the_price_of_the_most_expensive_zone(text, propose):
    """A p5.48xlarge on spot in us-east-1 costs 18.68 in one zone, and 55.04 in another."""
    alone = ("    nodes: 2\n    fabric: required\n    capacity: on-demand", "    capacity: spot")
    over = text(("per_hour: 120", "per_hour: 40"), ("us-east-2", "us-east-1"), alone)

    fixes = propose(over, thorough=False).fixes

    assert fixes
    same_machine = [fix for fix in fixes if ", now p5.48xlarge" not in str(fix)]
    assert [str(fix) for fix in same_machine if "max_price" in str(fix)] == []


def test_what_is_given_up_is_said_and_only_where_nothing_else_passes(text, propose):
    """Everything costs more than the cap: fewer GPUs, or slower ones, are all that is left."""
    over = text(("per_hour: 120, per_run: 9000", "per_hour: 30"), ("us-east-2", "us-east-1"))

    fix = propose(over, thorough=False).complete_fix

    assert fix is not None
    assert fix.effect.losses
    assert "you lose trainer: " in str(fix)


def test_two_findings_have_a_fix_each_and_one_for_both(text, propose):
    over = ("per_hour: 120", "per_hour: 100")

    both, *single = propose(
        text(over, (ON_SPOT[0], "capacity: spot"), NO_CHECKPOINTS), thorough=False
    ).fixes

    assert both.passes_check
    assert dict(both.settled_findings).keys() == {"cap-per-hour", "spot-checkpoints"}
    assert [(fix.rule, fix.passes_check, len(fix.edits)) for fix in single] == [
        ("cap-per-hour", False, 1),
        ("spot-checkpoints", False, 1),
    ]


def test_a_stack_that_is_fine_needs_no_trial(text, propose):
    proposal = propose(text(), thorough=False)

    assert (proposal.fixes, proposal.advisory_fixes, proposal.trial_count) == ((), (), 0)


def test_what_is_only_advised_is_proposed_and_not_written(text, propose):
    proposal = propose(text())

    assert proposal.fixes == ()
    assert [fix.rule for fix in proposal.advisory_fixes] == ["time-limit"]


def test_what_nothing_settles_is_told(text, propose):
    proposal = propose(text(("per_hour: 120", "per_hour: 0.01")), thorough=False)

    assert proposal.complete_fix is None
    assert ("cap-per-hour", "demo") in proposal.unfixed_findings


def test_the_effect_is_the_difference_of_two_checks(text, propose):
    before = text(("per_hour: 120", "per_hour: 60"), ON_SPOT)
    fix = propose(before).fixes[0]
    effect = fix.effect

    then, now = (stackfile.loads(document) for document in (before, written(before, fix.edits)))
    quotes = [judge(Source(document=document)).quote for document in (then, now)]
    for span in ("per_hour", "per_month", "per_run"):
        ceilings = tuple(getattr(quote, span).ceiling for quote in quotes)
        assert (getattr(effect, span).before, getattr(effect, span).after) == ceilings
    assert str(effect).startswith("-$50.24/h, -46%; ")
    assert "fabric of trainer unchanged: NCCL over RDMA: yes" in str(effect)


def test_no_fix_touches_what_is_demanded(text, propose):
    for replaced, _ in list(CASES.values())[:4]:
        for fix in propose(text(*replaced), thorough=False).fixes:
            assert not {edit.path[0] for edit in fix.edits} & LEFT_ALONE


def test_a_missing_cap_is_added(text, propose):
    proposal = propose(text((SMALL.split("\n")[4], "budget: {per_run: 9000}")))

    assert [str(edit) for edit in proposal.complete_fix.edits] == ["budget.per_hour: 140"]
    assert proposal.unfixed_findings == ()


def test_no_run_is_made_shorter_for_a_cap(text, propose):
    proposal = propose(text(("per_run: 9000", "per_run: 3000")), thorough=False)

    edits = [edit for fix in proposal.fixes for edit in fix.edits if edit.path[-1] == "duration"]
    assert [edit for edit in edits if hours(parse_duration(edit.after)) < 72] == []


def test_trials_are_bounded_and_the_stop_is_told(text, propose):
    proposal = propose(text(("per_hour: 120", "per_hour: 0.01")), thorough=False)

    assert proposal.trial_count <= 60
    assert proposal.is_incomplete


def test_a_search_finds_the_same_twice(text, propose):
    before = text(("per_hour: 120", "per_hour: 100"))

    assert propose(before, thorough=False) == propose(before, thorough=False)


def test_small_is_the_shipped_form(write, gpuinfra):
    assert gpuinfra("check", write(SMALL), *AS_OF).code == 0


def test_a_shipped_stack_needs_none(gpuinfra):
    stack = Path(__file__).parents[2] / "stacks" / "quickstart"

    assert "the check passes with" not in gpuinfra("check", stack).out


POOLS = """\
version: 1
name: chat
owner: ml
budget: {per_hour: 10}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
inference:
  chat: {gpu: L4:1, replicas: 1..20, scale_on: {gpu_utilization: 70%}, image: "a/b:1", port: 8000}
  big: {gpu: L4:1, replicas: 1..2, scale_on: {gpu_utilization: 70%}, image: "a/b:1", port: 8001}
rules:
  cap-per-workload: {workloads: {big: {per_hour: 1}}}
"""


def test_what_the_short_look_finds_to_pass_the_long_one_finds_too(propose):
    assert propose(POOLS, thorough=False).complete_fix is not None
    assert propose(POOLS).complete_fix is not None


def test_no_part_raises_what_else_costs_or_touches_another_workload(propose):
    proposal = propose(POOLS)

    parts = [fix for fix in proposal.fixes if not fix.passes_check]
    assert parts
    for fix in parts:
        assert fix.effect.per_hour.after < fix.effect.per_hour.before
        assert len(fix.edits) == 1
    (own,) = (part for part in parts if part.rule == "cap-per-workload")
    assert own.edits[0].path[:2] == ("inference", "big")


def test_one_of_two_edits_that_each_suffice_is_left_out(text, propose):
    """Trials run out over the cap, so that only the pair is known to settle the checkpoints."""
    over = (("per_hour: 120", "per_hour: 0.01"), (ON_SPOT[0], "capacity: spot"), NO_CHECKPOINTS)

    for thorough in (True, False):
        proposal = propose(text(*over), thorough=thorough)
        (fix,) = (
            candidate for candidate in proposal.fixes if candidate.rule == "spot-checkpoints"
        )
        assert len(fix.edits) == 1


def test_the_same_ceiling_otherwise_bought_tells_what_is_expected(text, propose):
    replaced, _ = CASES["too few GPUs on spot"]

    fix = propose(text(*replaced)).complete_fix

    assert fix is not None
    assert "same maximum cost; expected $" in str(fix)
    assert "spot machines may be interrupted at any time" in str(fix)


MANDATORY = "{level: mandatory}"


@pytest.mark.parametrize(
    ("rule", "base"), [(MANDATORY, 1), ("{level: mandatory, on_demand_base: 2}", 2)]
)
def test_a_pool_on_spot_keeps_machines_on_demand_rather_than_moves_whole(
    text, propose, rule, base
):
    pool = POOL.replace("{on_demand_base: 1, above: spot}", "spot")
    rules = f"rules: {{spot-only-pool: {rule}, spot-checkpoints: {MANDATORY}}}\n"
    on_spot = text(
        ("buckets:\n", pool),
        (ON_SPOT[0], "capacity: spot"),
        NO_CHECKPOINTS,
        ("version: 1\n", f"version: 1\n{rules}"),
    )

    fix = propose(on_spot, thorough=False).complete_fix

    assert fix is not None
    assert f"chat.capacity: {{above: spot, on_demand_base: {base}}}, now spot" in fix.change
    assert "trainer.checkpoints: {bucket: data, every: 10m}" in fix.change
    assert fix.effect.losses == ()
