"""The target of a stack: its name, and the engine's request for it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import cast, get_args

from gpuinfra import lock, sandbox
from gpuinfra.api.checking import StackCheck
from gpuinfra.clouds import provider_of
from gpuinfra.components.program import program
from gpuinfra.crossguard.configuration import configuration_of_levels
from gpuinfra.engine.contract import Pack, RunRequest, StackStatus, Target, TargetName
from gpuinfra.errors import InputError, SandboxError, command_line
from gpuinfra.model import Plan
from gpuinfra.shipped import shipped_path
from gpuinfra.stackfile import StackDocument
from gpuinfra.units import format_count

PACK = "all"
"""The policy pack that judges a preview and an up: every rule, in one process."""
RUNG = "gpuinfra:rung."
IMAGES = "gpuinfra:images"
"""The time of the last image lookup; the image ids stay until the next one."""
SOURCE = "gpuinfra:source"
"""Sandbox only: a shared settings file must not carry a path of one user's machine."""

ALLOWED_TARGETS = "sandbox (local, free) or cloud (your account, your money)"


def target_name(
    target: str | None, document: StackDocument, way: str = 'pass target="sandbox"'
) -> TargetName:
    """Return the caller's target, else the file's; `way` is the hint on setting a target.

    Raises:
        InputError: neither names one, or the caller names an unknown one.
    """
    chosen_target = target or document.stack.target
    if chosen_target in get_args(TargetName):
        return cast("TargetName", chosen_target)
    missing = "no target is given"
    raise InputError.of(
        missing if chosen_target is None else "unknown target",
        value=chosen_target or "",
        allowed=ALLOWED_TARGETS,
        fix=f"set `target` in the stack file, or {way}",
    )


def request(
    check: StackCheck,
    name: TargetName,
    *,
    judged: bool = True,
    images: Mapping[str, str] = MappingProxyType({}),
) -> RunRequest:
    """Return the engine's request for a checked stack; `judged` adds the policy pack.

    `images` is the configuration with the date of the image ids; see `images_of`.

    Raises:
        SandboxError: the sandbox lost its resources; refresh first.
    """
    bare = bare_request(check.document, name)
    if name == "sandbox":
        refuse_lost(check.document)
    return replace(
        bare,
        program=program(check.source, check.rungs),
        config={**configuration(check.plan, check.rungs), **images, **bare.config},
        packs=(_pack(check),) if judged else (),
    )


def _pack(check: StackCheck) -> Pack:
    """Return the policy pack with the rule levels of the stack file."""
    return Pack(folder=pack_folder(PACK), config=configuration_of_levels(check.stack.rules))


def state_request(document: StackDocument, name: TargetName) -> RunRequest:
    """Return the request of a command that only reads the state: it starts no sandbox server."""
    return _request(document, name, sandbox.state_environment)


def bare_request(document: StackDocument, name: TargetName) -> RunRequest:
    """Return the request of a command that runs no program: only a name and a target."""
    return _request(document, name, sandbox.environment)


def _request(
    document: StackDocument, name: TargetName, environment: Callable[[], dict[str, str]]
) -> RunRequest:
    path = str(document.path.resolve())
    return RunRequest(
        project=document.stack.name,
        program=lambda: None,
        target=Target(name=name, environment=environment() if name == "sandbox" else {}),
        config={SOURCE: path} if name == "sandbox" else {},
        work_dir=None if name == "sandbox" else document.path.parent,
    )


def refuse_lost(document: StackDocument) -> None:
    """Refuse to continue where resources of the stack in the sandbox are lost.

    Raises:
        SandboxError: this stack's resources were in a stopped server.
    """
    lost_count = sandbox.lost_count(document.stack.name)
    if lost_count:
        refresh = command_line("refresh", document.path, "--target", "sandbox")
        raise SandboxError(
            f"{format_count(lost_count, 'resource')} of {document.stack.name} were in a sandbox"
            " whose server ended, and no longer exist",
            fix=f"`{refresh}` removes them from the state, `gpuinfra sandbox reset` removes "
            "everything",
        )


def refuse_unresolved(check: StackCheck) -> None:
    """Refuse to build in a cloud from images whose ids the lock does not have.

    Raises:
        RefusedError: the lock that holds has images without an id.
    """
    if check.source.valid_lock is not None:
        lock.refuse_unresolved(check.source.valid_lock, check.document.path)


def configuration(plan: Plan, rungs: Mapping[str, str]) -> dict[str, str]:
    """Return the stack's Pulumi configuration: the providers' regions and the rungs."""
    config = {RUNG + workload: rung for workload, rung in rungs.items()}
    for bucket in reversed(plan.buckets):
        config |= (
            provider_of(bucket.cloud).regions.configuration(bucket.region) if bucket.region else {}
        )
    for group in reversed(plan.groups):
        config |= provider_of(group.cloud).regions.configuration(group.rung.region)
    return config


def same_source(
    status: StackStatus | None, document: StackDocument, *, accepted: bool, way: str
) -> None:
    """Refuse to replace another stack file of the same name, unless that is accepted.

    `way` says how a caller accepts it.

    Raises:
        InputError: the deployed stack was built from another file.
    """
    source, source_path = (
        (status.config if status else {}).get(SOURCE),
        str(document.path.resolve()),
    )
    if status and status.resources and source not in {None, source_path} and not accepted:
        raise InputError.of(
            "another stack file with this name is deployed in the sandbox, and "
            "this one would replace it",
            value=str(source),
            fix=f"rename one of them, destroy the deployed one, or {way}",
        )


def built_from(
    status: StackStatus | None, document: StackDocument, *, even_if_destroyed: bool = False
) -> bool:
    """Return whether the sandbox's stack, complete or not, was built from this stack file."""
    if status is None or not (status.resources or status.pending or even_if_destroyed):
        return False
    return status.config.get(SOURCE) == str(document.path.resolve())


def kept_rungs(status: StackStatus | None) -> dict[str, str]:
    """Return the rungs of the deployed workloads."""
    config = status.config if status and status.resources else {}
    return {key.removeprefix(RUNG): value for key, value in config.items() if key.startswith(RUNG)}


def images_of(status: StackStatus | None, *, renewed: bool) -> dict[str, str]:
    """Return the configuration that keeps images, or with `renewed` looks them up again."""
    if renewed:
        return {IMAGES: datetime.now(UTC).isoformat(timespec="seconds")}
    image_settings = status.config.get(IMAGES) if status and status.resources else None
    return {} if image_settings is None else {IMAGES: image_settings}


def pack_folder(name: str) -> Path:
    """Return the folder of a shipped policy pack."""
    return shipped_path("packs", "policies") / name


def quickstart_folder() -> Path:
    """Return the folder of the stack that `gpuinfra quickstart` runs."""
    return shipped_path("stacks", "stacks") / "quickstart"
