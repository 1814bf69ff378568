"""The deployment of a stack file: `deploy` in a Pulumi program, `program` inline."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from gpuinfra.components.declared import IMAGES
from gpuinfra.components.messages import problem_line, show_plain_errors
from gpuinfra.components.stack import StackComponent
from gpuinfra.cost import estimate, plan_on_active_rungs
from gpuinfra.errors import unknown_word
from gpuinfra.lock import refuse_unresolved
from gpuinfra.model import Plan
from gpuinfra.source import Source, plan, read
from gpuinfra.specs import Stack
from gpuinfra.today import today

SANDBOX: Final = "sandbox"
"""The Pulumi stack's name is its target: any other than this one is a cloud's."""

NAMESPACE: Final = "gpuinfra"
"""The namespace of the keys of Pulumi config that gpuinfra reads."""

RUNG: Final = "rung."
"""Pulumi config `gpuinfra:rung.<workload>` sets the active rung of its ladder."""


def deploy(source: str | Path = "stack.yaml") -> StackComponent:
    """Build the resources of a stack file; it is the whole of a three-line Pulumi program.

    The rung of a workload is the one that Pulumi config `gpuinfra:rung.<workload>` names, else
    the first that the budget leaves. Stack outputs are the components' outputs by kind and name.

    Args:
        source: the stack file, or its folder.

    Raises:
        ProgramError: the file is wrong, or a cloud would build from images that its lock has not
            frozen; shown by the engine without a traceback.
    """
    with show_plain_errors():
        valid_source, planned = read(source, {})
        if valid_source.valid_lock is not None and pulumi.get_stack() != SANDBOX:
            refuse_unresolved(valid_source.valid_lock, valid_source.document.path)
        configured_rungs = _configured_rungs(valid_source.stack)
        _warn_of_unused_keys(valid_source.stack)
        return _build(
            valid_source,
            plan(valid_source, configured_rungs) if configured_rungs else planned,
            configured_rungs,
        )


def program(source: Source, rungs: Mapping[str, str]) -> Callable[[], None]:
    """Return a function that builds the stack file, for the Automation API.

    Args:
        source: a stack file that was read.
        rungs: rungs by workload, before those that Pulumi config names.
    """

    def run() -> None:
        with show_plain_errors():
            configured_rungs = {**_configured_rungs(source.stack), **rungs}
            _build(source, plan(source, configured_rungs), configured_rungs)

    return run


def _build(source: Source, stack_plan: Plan, rungs: Mapping[str, str]) -> StackComponent:
    """Build a plan with each workload on its active rung."""
    terms = source.terms(today())
    active_plan = plan_on_active_rungs(
        stack_plan, estimate(stack_plan, terms, fixed_names=frozenset(rungs))
    )
    component = StackComponent(source.stack, active_plan, prices=source.prices)
    for kind, outputs in component.pulumi_outputs().items():
        pulumi.export(kind, outputs)
    return component


def _warn_of_unused_keys(stack: Stack) -> None:
    """Warn of keys of Pulumi config that nothing reads, for example of a misspelt workload.

    It is no error: stacks may share an environment that has keys for each of them.
    """
    keys = [*(f"{RUNG}{name}" for name in (*stack.training, *stack.inference)), IMAGES]
    config = {**get_config_env(), **CONFIG.get()}
    for key in sorted(config):
        namespace, _, name = key.partition(":")
        if namespace == NAMESPACE and name not in keys:
            message = f"{stack.name}: Pulumi config {key} has no effect here"
            pulumi.log.warn(problem_line(unknown_word(message, name, keys)))


def _configured_rungs(stack: Stack) -> dict[str, str]:
    """Return the rungs that Pulumi config names, by workload of the stack."""
    config = pulumi.Config(NAMESPACE)
    rungs = {name: config.get(f"{RUNG}{name}") for name in (*stack.training, *stack.inference)}
    return {name: rung for name, rung in rungs.items() if rung is not None}
