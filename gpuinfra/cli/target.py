"""Where a verb works: the --target option, and the engine's request for it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

import click

import gpuinfra
from gpuinfra import lock, sandbox
from gpuinfra.cli.source import Loaded
from gpuinfra.clouds import room
from gpuinfra.components.program import program
from gpuinfra.crossguard.configuration import of_levels
from gpuinfra.engine.contract import Pack, Request, Standing, Target
from gpuinfra.errors import InputError, Problem, SandboxError
from gpuinfra.model import Plan
from gpuinfra.stackfile import Document

PACK = "all"
"""The policy pack that judges a preview and an up: every rule, in one process."""
RUNG = "gpuinfra:rung."
IMAGES = "gpuinfra:images"
"""When the machines' images were last looked up anew, by an order; until the next they stay."""
SOURCE = "gpuinfra:source"
"""Sandbox only: a shared settings file must not carry the path of somebody's machine."""

Command = Callable[..., Any]
Name = Literal["sandbox", "cloud"]


def images_option(command: Command) -> Command:
    """Add --update-images: the only way in which machines come to newer public images."""
    return click.option(
        "--update-images",
        is_flag=True,
        help="Look the machines' images up anew; without it they stay as they were pinned.",
    )(command)


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


def named(target: str | None, document: Document) -> Name:
    """The target of the option, else of the file.

    Raises:
        InputError: neither names one.
    """
    chosen = target or document.stack.target
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
    loaded: Loaded,
    name: Name,
    *,
    judged: bool = True,
    images: Mapping[str, str] = MappingProxyType({}),
) -> Request:
    """The engine's request for a loaded stack, judged by the packs or not.

    `images` is the configuration that says since when images stand; see `images_of`.

    Raises:
        SandboxError: what stood in the sandbox is lost; a refresh has to come first.
    """
    asked = bare_request(loaded.document, name)
    if name == "sandbox":
        mourn(loaded.document)
    return replace(
        asked,
        program=program(loaded.source, loaded.rungs),
        config={**configuration(loaded.plan, loaded.rungs), **images, **asked.config},
        packs=(_pack(loaded),) if judged else (),
    )


def _pack(loaded: Loaded) -> Pack:
    """The pack, at the levels of the stack file: its author is who runs this."""
    return Pack(folder=pack_folder(PACK), config=of_levels(loaded.stack.rules))


def bare_request(document: Document, name: Name) -> Request:
    """The request of a verb that runs no program: it needs a name and a target, and no plan."""
    path = str(document.path.resolve())
    return Request(
        project=document.stack.name,
        program=lambda: None,
        target=Target(name=name, environment=sandbox.environment() if name == "sandbox" else {}),
        config={SOURCE: path} if name == "sandbox" else {},
        work_dir=None if name == "sandbox" else document.path.parent,
    )


def mourn(document: Document) -> None:
    """Refuse to go on over a loss.

    Raises:
        SandboxError: resources of this stack stood in a server that is gone.
    """
    lost = sandbox.lost(document.stack.name)
    if lost:
        raise SandboxError(
            f"{lost} resources of {document.stack.name} stood in a sandbox whose server is gone, "
            f"and went with it; gpuinfra refresh {document.path} --target sandbox forgets them, "
            "gpuinfra sandbox reset forgets everything"
        )


def refuse_unresolved(loaded: Loaded) -> None:
    """Refuse to build in a cloud from images that a lock has not frozen.

    Raises:
        RefusedError: the lock that holds has images without an id.
    """
    if loaded.source.held is not None:
        lock.refuse_unresolved(loaded.source.held, loaded.document.path)


def configuration(plan: Plan, rungs: Mapping[str, str]) -> dict[str, str]:
    """The stack's Pulumi configuration: what each cloud's provider needs, and the rungs."""
    config = {RUNG + workload: rung for workload, rung in rungs.items()}
    for bucket in reversed(plan.buckets):
        config |= room(bucket.cloud).configuration(bucket.region) if bucket.region else {}
    for group in reversed(plan.groups):
        config |= room(group.cloud).configuration(group.rung.region)
    return config


def same_source(standing: Standing | None, document: Document, *, accepted: bool) -> None:
    """Refuse to build one stack file over another of the same name, unless that is accepted.

    Raises:
        InputError: what stands was built from another file.
    """
    source, own = (standing.config if standing else {}).get(SOURCE), str(document.path.resolve())
    if standing and standing.resources and source not in {None, own} and not accepted:
        raise InputError(
            [
                Problem(
                    message="another stack file of this name stands in the sandbox, "
                    "and this one would replace it",
                    value=str(source),
                    fix="give one of them another name, destroy what stands, or add --yes",
                )
            ]
        )


def kept_rungs(standing: Standing | None) -> dict[str, str]:
    """The rungs on which something stands, by workload."""
    config = standing.config if standing and standing.resources else {}
    return {key.removeprefix(RUNG): value for key, value in config.items() if key.startswith(RUNG)}


def images_of(standing: Standing | None, *, renewed: bool) -> dict[str, str]:
    """The configuration by which images stay as they stand, or are looked up anew from now on."""
    if renewed:
        return {IMAGES: datetime.now(UTC).isoformat(timespec="seconds")}
    kept = standing.config.get(IMAGES) if standing and standing.resources else None
    return {} if kept is None else {IMAGES: kept}


def pack_folder(name: str) -> Path:
    """The folder of a shipped policy pack: in the wheel, or beside the package in a checkout."""
    shipped = Path(str(files("gpuinfra"))) / "packs" / name
    return shipped if shipped.is_dir() else Path(gpuinfra.__file__).parents[1] / "policies" / name
