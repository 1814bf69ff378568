"""The plan of a stack file that follows its lock."""

from collections.abc import Mapping
from pathlib import Path

from gpuinfra import planning
from gpuinfra.catalog import PriceBook
from gpuinfra.errors import InputError, RefusedError, lock_update
from gpuinfra.lock.contents import Lock
from gpuinfra.lock.images import with_images
from gpuinfra.lock.lock_checks import plan_differences
from gpuinfra.model import Plan
from gpuinfra.specs import Stack


def plan_by_lock(
    lock: Lock, stack: Stack, rungs: Mapping[str, str], prices: PriceBook, path: Path
) -> Plan:
    """Return the plan of a stack file at a path, with the machines and images of its lock.

    Raises:
        InputError: the problems of planning, where not only the lock's machines misfit.
        RefusedError: the lock has a machine, a cloud or a rung that the stack does not request.
    """
    try:
        plan = planning.from_stack(stack, rungs=rungs, prices=prices, locked=lock.machines)
    except InputError as error:
        if not all(isinstance(problem, planning.LockProblem) for problem in error.problems):
            raise
        differences = tuple(problem.message for problem in error.problems)
    else:
        differences = tuple(plan_differences(lock, plan))
        if not differences:
            return with_images(plan, lock)
    misfit_lines = [f"the lock does not match {path}", *differences]
    raise RefusedError("\n  ".join([*misfit_lines, f"choose again: {lock_update(path)}"]))
