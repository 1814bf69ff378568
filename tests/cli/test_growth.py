"""What costs more than its lock: a stack file beside it, and a preview with --stack."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from gpuinfra import lock as locks
from tests.pulumi_files.files import digest, put, step

DAY = ("--as-of", "2026-11-21")
STACK = """\
version: 1
name: shop
owner: ml-platform
budget: {per_hour: 1000, per_month: 90000}
prices: {accept_outdated: true}
where: {cloud: aws, regions: [us-east-1]}
training:
  gpu: {instance: p5.48xlarge, duration: 72h}
"""


@pytest.fixture
def stack(gpuinfra, tmp_path):
    path = tmp_path / "stack.yaml"
    path.write_text(STACK)
    assert gpuinfra("lock", path).code == 0
    return path


def cheaper(stack, share):
    """The lock as if the stack had cost only a share of what it costs."""
    path = locks.lock_path(stack)
    lock = locks.read_lock(path)
    totals = {
        span: replace(total, ceiling=total.ceiling * Decimal(share))
        for span in ("per_hour", "per_month", "per_run")
        if (total := getattr(lock.totals, span))
    }
    locks.write(replace(lock, totals=locks.Totals(**totals)), path)


def judged(gpuinfra, *arguments):
    ran = gpuinfra("check", *arguments, *DAY, "--format", "json")
    assert ran.out, ran.err
    growths = [
        finding for finding in json.loads(ran.out)["findings"] if finding["rule"] == "cost-growth"
    ]
    return ran.code, growths[0]["outcome"], growths[0]["message"]


def test_a_stack_file_is_compared_with_the_lock_beside_it(gpuinfra, stack):
    assert judged(gpuinfra, stack)[:2] == (0, "fine")
    cheaper(stack, "0.95")
    assert judged(gpuinfra, stack)[:2] == (0, "fine")
    cheaper(stack, "0.9")
    code, outcome, message = judged(gpuinfra, stack)
    assert (code, outcome) == (1, "violated")
    assert "per hour, 17% more than the" in message
    assert "per run, 17% more" in message


def test_a_stack_file_without_a_lock_has_nothing_to_grow_from(gpuinfra, stack):
    (stack.parent / "gpuinfra.lock").unlink()
    assert judged(gpuinfra, stack)[:2] == (0, "not-applicable")


def test_a_preview_is_compared_with_the_lock_of_its_stack_file(gpuinfra, stack, tmp_path):
    made = [step(name) for name in ("gpu", "more")]
    preview = put(tmp_path, digest(made[0]), "one.json")
    two = put(tmp_path, digest(*made), "two.json")
    code, outcome, message = judged(gpuinfra, two, "--stack", stack)
    assert (code, outcome) == (1, "violated")
    assert "of its lock; allowed: 10%" in message
    assert judged(gpuinfra, preview, "--stack", stack)[1] == "fine"
    assert judged(gpuinfra, two)[1] == "not-applicable"
