"""Where a workload may stand: its cloud, regions and zones, checked against the cloud's tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from gpuinfra.clouds import CLOUDS, room
from gpuinfra.errors import PathPart, Problem, nearest
from gpuinfra.stackfile.schema import Where

Path = tuple[PathPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A `where`, and what is wrong with it."""

    cloud: str
    regions: tuple[str, ...]
    zones: tuple[str, ...]
    problems: tuple[Problem, ...]


def place(where: Where, path: Path) -> Place:
    """Check a `where` at a path of the file."""
    cloud = cloud_of(where)
    return Place(
        cloud=cloud,
        regions=where.regions,
        zones=where.zones,
        problems=(*_regions(cloud, where, path), *_zones(cloud, where, path)),
    )


def cloud_of(where: Where) -> str:
    """The cloud that a `where` names; `any` is the first that builds, so far the only one."""
    if where.cloud != "any":
        return where.cloud
    return next(cloud for cloud in CLOUDS if "build" in room(cloud).can)


def known_region(cloud: str, region: str, path: Path) -> Problem | None:
    """What is wrong with a region; None when the cloud has it."""
    known = room(cloud).regions()
    if region in known:
        return None
    return Problem(
        message=f"unknown region of {cloud}",
        path=path,
        value=region,
        allowed=", ".join(known),
        suggestion=nearest(region, known),
    )


def _regions(cloud: str, where: Where, path: Path) -> Iterator[Problem]:
    for index, region in enumerate(where.regions):
        wrong = known_region(cloud, region, (*path, "regions", index))
        if wrong is not None:
            yield wrong


def _zones(cloud: str, where: Where, path: Path) -> Iterator[Problem]:
    regions = [region for region in where.regions if region in room(cloud).regions()]
    known = tuple(zone for region in regions for zone in room(cloud).known_zones(region))
    for index, zone in enumerate(where.zones):
        if regions and zone not in known:
            yield Problem(
                message="unknown zone",
                path=(*path, "zones", index),
                value=zone,
                allowed=", ".join(known),
                suggestion=nearest(zone, known),
            )
    for region in regions if where.zones else ():
        if not any(zone.startswith(region) for zone in where.zones):
            yield Problem(
                message=f"no zone of {region} is listed",
                path=(*path, "zones"),
                allowed=", ".join(room(cloud).known_zones(region)),
                fix=f"add one of them, or remove {region} from the regions",
            )
