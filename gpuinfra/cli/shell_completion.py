"""Shell completion of rules, GPUs, machines, stacks and workloads."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuinfra.errors import GpuinfraError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def rules(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of rules that complete the word."""
    from gpuinfra.rules import RULES  # noqa: PLC0415  (only where a rule is completed)

    return _names_with_prefix(incomplete, (rule.id for rule in RULES))


def machines(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the machine types of all clouds that complete the word."""
    from gpuinfra.clouds import all_machines  # noqa: PLC0415  (reads every table)

    return _names_with_prefix(incomplete, {machine.type for machine in all_machines()})


def gpus(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the GPU models by their common names, then the machine types."""
    from gpuinfra.catalog.gpus import gpu_names  # noqa: PLC0415  (reads the table)

    return [*_names_with_prefix(incomplete, gpu_names()), *machines(ctx, parameter, incomplete)]


def stacks(_: click.Context, __: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Return the folders that have a stack file; without any, let the shell complete paths."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415  (only in a completion)

    from gpuinfra.stackfile import FILE_NAME  # noqa: PLC0415

    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    folders = sorted(str(path.parent) for path in folder.glob(f"*/{FILE_NAME}"))
    names = _names_with_prefix(incomplete, folders)
    return [CompletionItem(name) for name in names] or [CompletionItem(incomplete, type="file")]


def rungs(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return `WORKLOAD=` for each workload of the stack file; after it, its rungs."""
    from gpuinfra.api import plan  # noqa: PLC0415  (plans the stack)

    workload, has_equals_sign, _ = incomplete.partition("=")
    if not has_equals_sign:
        return [f"{name}=" for name in workloads(ctx, parameter, incomplete)]
    try:
        groups = plan(_source(ctx)).groups
    except GpuinfraError:
        return []
    labels = (rung.label for group in groups if group.name == workload for rung in group.rungs)
    return _names_with_prefix(incomplete, (f"{workload}={label}" for label in labels))


def workloads(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Return the workloads of the command's stack file that complete the word."""
    from gpuinfra.api.checking import read_despite_faults  # noqa: PLC0415  (reads the stack file)

    try:
        stack = read_despite_faults(_source(ctx)).stack
    except GpuinfraError:
        return []
    return _names_with_prefix(incomplete, (*stack.training, *stack.inference))


def _source(ctx: click.Context) -> str:
    """Return the SOURCE before the option; click keeps it in the arguments.

    Of several it is the first.
    """
    source_arguments = ctx.params.get("sources") or (".",)
    return ctx.args[0] if ctx.args else str(ctx.params.get("source") or source_arguments[0])


def _names_with_prefix(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))
