"""The --target option, and the options that belong to it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from gpuinfra.api import targets
from gpuinfra.cli.hints import command_with
from gpuinfra.cli.options import Detail
from gpuinfra.cli.views.render import note
from gpuinfra.engine.contract import TargetName
from gpuinfra.errors import LockedError
from gpuinfra.stackfile import StackDocument

Command = Callable[..., Any]


def images_option(command: Command) -> Command:
    """Add --update-images; without it, machines keep their images."""
    return click.option(
        "--update-images",
        is_flag=True,
        help="Look up the machines' images again; by default they stay pinned.",
    )(command)


def target_option(command: Command) -> Command:
    """Add --target, which is required unless the stack file has `target`."""
    return click.option(
        "--target",
        type=click.Choice(["sandbox", "cloud"]),
        default=None,
        help="The local sandbox, or the cloud with your credentials.",
    )(command)


def existing_target_option(command: Command) -> Command:
    """Add --target to a command on a deployed stack; the sandbox is found without it."""
    return click.option(
        "--target",
        type=click.Choice(["sandbox", "cloud"]),
        default=None,
        help="The local sandbox, or the cloud with your credentials; default: the stack file's "
        "target, else the sandbox if the stack was brought up only there.",
    )(command)


def unlock_option(command: Command) -> Command:
    """Add --unlock, which unlocks a stack after a killed run; the error on a lock names it."""

    @wraps(command)
    def named_again(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except LockedError as error:
            raise LockedError(
                error.holder, ended=error.ended, command=command_with("--unlock")
            ) from error

    return click.option(
        "--unlock", is_flag=True, help="First unlock the stack after a killed run."
    )(named_again)


def existing_target(
    target: str | None,
    document: StackDocument,
    detail: Detail,
    *,
    even_if_destroyed: bool = False,
) -> TargetName:
    """Return the target of the option, else of the file.

    Without either, it is the sandbox if the stack is only there, with `even_if_destroyed` also
    where a destroy left nothing of it.

    Nothing leads to a cloud but the option or the file.

    Raises:
        InputError: none of these names one.
    """
    if target is None and document.stack.target is None:
        from gpuinfra.api.preparing import only_in_sandbox  # noqa: PLC0415  (loads the engine)

        if only_in_sandbox(document, even_if_destroyed=even_if_destroyed):
            if detail != "quiet":
                note(f"target: sandbox ({document.stack.name} was brought up there)")
            return "sandbox"
    return target_name(target, document)


def target_name(target: str | None, document: StackDocument) -> TargetName:
    """Return the target of the option, else of the file.

    Raises:
        InputError: neither names one.
    """
    sandbox = command_with("--target", "sandbox")
    return targets.target_name(target, document, way=f"add --target cloud, or run: {sandbox}")
