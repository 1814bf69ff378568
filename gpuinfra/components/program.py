"""From a stack file to registered resources: `deploy` in a Pulumi program, `program` inline."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pulumi

from gpuinfra.components.messages import readable
from gpuinfra.components.stack import StackComponent
from gpuinfra.cost import estimate, standing
from gpuinfra.errors import InputError
from gpuinfra.model import Plan
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import Document, StackFileError, read, with_positions

RUNG: Final = "rung."
"""Pulumi config `gpuinfra:rung.<workload>` says which rung of its ladder stands."""


def deploy(source: str | Path = "stack.yaml") -> StackComponent:
    """Build what a stack file says; the whole of a three-line Pulumi program.

    The rung of a workload is the one that Pulumi config `gpuinfra:rung.<workload>` names, else
    the first that the budget leaves. Stack outputs are the components' outputs by kind and name.

    Args:
        source: the stack file, or its folder.

    Raises:
        ProgramError: the file is wrong; shown by the engine without a traceback.
    """
    with readable():
        return _build(_read(source), {})


def program(document: Document, rungs: Mapping[str, str]) -> Callable[[], None]:
    """The same as a function for the Automation API.

    Args:
        document: a stack file that was read.
        rungs: rungs by workload, before those that Pulumi config names.
    """

    def run() -> None:
        with readable():
            _build(document, rungs)

    return run


def _read(source: str | Path) -> Document:
    """A stack file; where it is wrong, planning's problems with the rest of it are said too."""
    try:
        return read(source)
    except StackFileError as error:
        if error.rest is None:
            raise
        try:
            from_stack(error.rest.stack)
        except InputError as later:
            more = with_positions(later.problems, error.rest)
            raise InputError((*error.problems, *more)) from error
        raise


def _build(document: Document, rungs: Mapping[str, str]) -> StackComponent:
    component = StackComponent(document.stack, _plan(document, {**_configured(document), **rungs}))
    for kind, outputs in component.shown().items():
        pulumi.export(kind, outputs)
    return component


def _plan(document: Document, rungs: Mapping[str, str]) -> Plan:
    """The plan, with the rung of each workload that stands."""
    stack = document.stack
    try:
        plan = from_stack(stack, rungs=rungs)
    except InputError as error:
        raise InputError(with_positions(error.problems, document)) from error
    quote = estimate(
        plan,
        as_of=datetime.now(UTC).date(),
        accept_outdated=stack.prices.accept_outdated,
        outdated_after_days=stack.prices.outdated_after_days,
        not_counted=stack.prices.not_counted,
        fixed=frozenset(rungs),
    )
    return standing(plan, quote)


def _configured(document: Document) -> dict[str, str]:
    """The rungs that Pulumi config names."""
    config = pulumi.Config("gpuinfra")
    found = {
        name: config.get(f"{RUNG}{name}")
        for name in (*document.stack.training, *document.stack.inference)
    }
    return {name: rung for name, rung in found.items() if rung is not None}
