"""Where a verb works: the --target option, and the engine's request for it."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

import click

import gpuinfra
from gpuinfra import sandbox
from gpuinfra.cli.source import Loaded
from gpuinfra.clouds import room
from gpuinfra.components.program import program
from gpuinfra.engine.contract import Pack, Request, Standing, Target
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Plan

PACKS = ("budget", "spot", "fabric", "security")
RUNG = "gpuinfra:rung."

Command = Callable[..., Any]
Name = Literal["sandbox", "cloud"]


def target_option(command: Command) -> Command:
    """Add --target: never silent, so a stack file without `target` needs it."""
    return click.option(
        "--target",
        type=click.Choice(["sandbox", "cloud"]),
        default=None,
        help="Where: the local sandbox, or the cloud with your credentials.",
    )(command)


def unlock_option(command: Command) -> Command:
    """Add --unlock, the way out of the lock that a killed run leaves."""
    return click.option(
        "--unlock", is_flag=True, help="First free the stack that a killed run left locked."
    )(command)


def named(target: str | None, loaded: Loaded) -> Name:
    """The target of the option, else of the file.

    Raises:
        InputError: neither names one.
    """
    chosen = target or loaded.stack.target
    if chosen is None:
        raise InputError(
            [
                Problem(
                    message="no target is named, and none is ever assumed",
                    allowed="sandbox (local, free) or cloud (your account, your money)",
                    fix="add --target sandbox, or write `target: sandbox` in the stack file",
                )
            ]
        )
    return cast("Name", chosen)


def request(
    loaded: Loaded, name: Name, *, rungs: Mapping[str, str] | None = None, judged: bool = True
) -> Request:
    """The engine's request for a loaded stack; starts the sandbox where that is the target."""
    environment = sandbox.environment() if name == "sandbox" else {}
    chosen = loaded.rungs if rungs is None else dict(rungs)
    return Request(
        project=loaded.stack.name,
        program=program(loaded.document, chosen),
        target=Target(name=name, environment=environment),
        config=configuration(loaded.plan, chosen),
        packs=tuple(Pack(folder=pack_folder(one)) for one in PACKS) if judged else (),
        work_dir=None if name == "sandbox" else loaded.document.path.parent,
    )


def configuration(plan: Plan, rungs: Mapping[str, str]) -> dict[str, str]:
    """The stack's Pulumi configuration: what each cloud's provider needs, and the rungs."""
    config = {RUNG + workload: rung for workload, rung in rungs.items()}
    for bucket in reversed(plan.buckets):
        config |= room(bucket.cloud).configuration(bucket.region) if bucket.region else {}
    for group in reversed(plan.groups):
        config |= room(group.cloud).configuration(group.rung.region)
    return config


def kept_rungs(standing: Standing | None) -> dict[str, str]:
    """The rungs that the last up stood on, by workload."""
    config = standing.config if standing else {}
    return {key.removeprefix(RUNG): value for key, value in config.items() if key.startswith(RUNG)}


def pack_folder(name: str) -> Path:
    """The folder of a shipped policy pack: in the wheel, or beside the package in a checkout."""
    shipped = Path(str(files("gpuinfra"))) / "packs" / name
    return shipped if shipped.is_dir() else Path(gpuinfra.__file__).parents[1] / "policies" / name
