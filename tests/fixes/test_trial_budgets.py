"""A search takes fewer trials of a larger stack, each of which judges all of it."""

from gpuinfra import stackfile
from gpuinfra.fixes.trial_budgets import QUICK, THOROUGH, quick_trials, thorough_trials


def test_a_large_stack_has_fewer_trials(text):
    stack = stackfile.loads(text(), "stack.yaml").stack
    buckets = {f"bucket-{number}": stack.buckets["data"] for number in range(30)}
    many = stack.model_copy(update={"buckets": buckets})

    assert quick_trials(stack) == QUICK
    assert quick_trials(many) < 5
    assert QUICK < thorough_trials(stack) < THOROUGH
    assert thorough_trials(many) == QUICK
