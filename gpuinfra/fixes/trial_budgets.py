"""How many sets of edits are tried for a stack file: each trial judges all of it."""

from typing import Final

from gpuinfra.specs import Stack

QUICK: Final = 60
"""The most trials beside a table: some milliseconds each."""

THOROUGH: Final = 600
"""The most trials of `--fix`."""

QUICK_WORK: Final = 120
"""Trials times workloads and buckets beside a table: about a second."""

THOROUGH_WORK: Final = 800
"""Trials times workloads and buckets of `--fix`: some ten seconds."""


def quick_trials(stack: Stack) -> int:
    """Return the trial budget of the quick search that runs with `check`."""
    return min(QUICK, QUICK_WORK // _size(stack))


def thorough_trials(stack: Stack) -> int:
    """Return the trial budget of `--fix`, which is no less than the most of a quick search."""
    return min(THOROUGH, max(QUICK, THOROUGH_WORK // _size(stack)))


def _size(stack: Stack) -> int:
    return max(1, len(stack.workloads) + len(stack.buckets))
