"""Hints after a cloud's refusal: the command for the next rung or for a higher quota."""

from collections.abc import Iterator
from functools import partial

from gpuinfra.api.checking import StackCheck
from gpuinfra.clouds import provider_of
from gpuinfra.clouds.declaring.names import group_resource
from gpuinfra.engine import refusals
from gpuinfra.engine.contract import Outcome
from gpuinfra.errors import Refusal, command_line
from gpuinfra.model import Group, Rung
from gpuinfra.planning.observed_plan import workload_rows
from gpuinfra.units import format_money
from gpuinfra.urns import name_of


def next_commands(outcome: Outcome, stack_check: StackCheck, target: str) -> Iterator[str]:
    """Yield commands for each workload that a cloud refused: another rung, or a quota."""
    names = [group.name for group in stack_check.plan.groups]
    for group in stack_check.plan.groups:
        struck = [
            refusal for refusal in outcome.refusals if _workload(refusal, names) == group.name
        ]
        has_no_machines = refusals.workload_without_machines(outcome.reason) == group.name
        if has_no_machines or any(_another_rung_helps(refusal, group) for refusal in struck):
            yield from next_rung(group, stack_check, target)
        if target == "cloud" and any(refusals.is_quota(refusal.code) for refusal in struck):
            yield from _quotas(group, stack_check)


def next_rung(group: Group, stack_check: StackCheck, target: str) -> Iterator[str]:
    """Yield the command for a group's next available rung, or why there is none."""
    later_rungs = [
        rung
        for rung in stack_check.quote.rungs
        if rung.group == group.name and rung.index > group.active_rung
    ]
    for quote in later_rungs:
        label, path = quote.rung.label, stack_check.document.path
        if not quote.skip_reason:
            command = ("up", path, "--target", target, "--rung", f"{group.name}={label}")
            yield (
                f"No {group.rung.capacity} machines for {group.name}. Retry "
                f"{_rung_purchase_text(quote.rung, group.rung)} "
                f"(up to {format_money(quote.per_hour)}/h): " + command_line(*command)
            )
            return
        yield f"rung {label} of {group.name} is excluded: {quote.skip_reason}"
    yield (
        f"{group.name} has no further rung: add one to its `capacity`, or a region to "
        "`where`, and run the same command again"
    )


def _rung_purchase_text(rung: Rung, refused_rung: Rung) -> str:
    """Return how a rung buys its machines, and its region if it differs from the refused one."""
    purchase = "on demand" if rung.capacity == "on-demand" else f"with {rung.capacity}"
    return purchase if rung.region == refused_rung.region else f"{purchase} in {rung.region}"


def _quotas(group: Group, stack_check: StackCheck) -> Iterator[str]:
    account = provider_of(group.cloud).account
    if account is None:
        return
    for request in account.requests(
        stack_check.plan, stack_check.stack, partial(workload_rows, stack_check.stack), group.name
    ):
        yield (
            f"quota for {group.name}: {request}; other use in the account is not "
            f"included, `{command_line('doctor', stack_check.document.path)}` counts it"
        )


def _workload(refusal: Refusal, names: list[str]) -> str:
    """Return the workload of a refused resource: the longest name that its name starts with."""
    child = name_of(refusal.urn)
    return max((name for name in names if child.startswith(f"{name}-")), key=len, default="")


def _another_rung_helps(refusal: Refusal, group: Group) -> bool:
    """Return whether another rung may avoid a refusal.

    Unknown codes count only for machine groups.
    """
    is_of_group = refusal.code or name_of(refusal.urn) == group_resource(group.name)
    return bool(is_of_group) and refusals.another_rung_helps(refusal.code)
