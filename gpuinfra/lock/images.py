"""Image ids, copied from a lock into a plan, and from the clouds into a lock."""

from collections.abc import Callable
from dataclasses import replace

from gpuinfra.clouds import provider_of
from gpuinfra.errors import CloudError, InputError, Refusal, RefusedError, command_line, printable
from gpuinfra.lock.contents import Lock, LockedRung, LockedWorkload
from gpuinfra.model import Group, Plan
from gpuinfra.stackfile.file_names import LOCK_NAME as FILE_NAME

ImageLookup = Callable[[str, str, str], str]
"""The id of an image by cloud, name and region."""


def refuse_unresolved(lock: Lock, source: object) -> None:
    """Refuse to build in a cloud from images without a locked id.

    Args:
        lock: the lock that holds.
        source: its stack file, as the user names it.

    Raises:
        RefusedError: it has images without an id.
    """
    if lock.unresolved_images:
        rung_names = ", ".join(f"{name} on {rung.label}" for name, rung in lock.unresolved_images)
        raise RefusedError(
            f"{FILE_NAME} has no image id of {printable(rung_names)}: with credentials, "
            f"`{command_line('lock', source, '--resolve-images')}` fills them"
        )


def with_images(plan: Plan, lock: Lock) -> Plan:
    """Return the plan with the image ids of a lock, in place of a lookup in the cloud."""
    return replace(
        plan, groups=tuple(_with_locked_image_ids(group, lock) for group in plan.groups)
    )


def with_image_ids(lock: Lock, look_up: ImageLookup | None = None) -> Lock:
    """Return the lock with the current id of each image, which is looked up once.

    Args:
        lock: whose images are looked up again, those that have an id too.
        look_up: by default the clouds themselves, with the caller's credentials.

    Raises:
        CloudError: what clouds refused, all of it.
        InputError: a cloud's client library is not installed.
    """
    look_up = look_up or _look_up
    ids = {
        (lock.workloads[name].cloud, rung.image.name, rung.region): ""
        for name, rung in lock.rungs()
        if rung.image.found_by != "id"
    }
    image_refusals: list[Refusal] = []
    for key in ids:
        try:
            ids[key] = look_up(*key)
        except CloudError as error:
            image_refusals += error.refusals
    if image_refusals:
        raise CloudError(image_refusals)
    return replace(
        lock,
        workloads={
            name: replace(
                work, rungs=tuple(_rung_with_image_id(work, rung, ids) for rung in work.rungs)
            )
            for name, work in lock.workloads.items()
        },
    )


def _rung_with_image_id(
    work: LockedWorkload, rung: LockedRung, ids: dict[tuple[str, str, str], str]
) -> LockedRung:
    image_id = ids.get((work.cloud, rung.image.name, rung.region))
    return rung if image_id is None else replace(rung, image=replace(rung.image, id=image_id))


def _look_up(cloud: str, name: str, region: str) -> str:
    try:
        return provider_of(cloud).image_id(name, region)
    except ModuleNotFoundError as error:
        raise InputError.of(
            f"{error.name}, which looks up image ids on {cloud}, is not installed",
            fix="pip install 'gpuinfra[refresh]'",
        ) from error


def _with_locked_image_ids(group: Group, lock: Lock) -> Group:
    ids = {
        rung.label: rung.image.id
        for rung in lock.workloads[group.name].rungs
        if rung.image.found_by != "id"
    }
    rungs = tuple(replace(rung, image=ids.get(rung.label)) for rung in group.rungs)
    return replace(group, rungs=rungs)
