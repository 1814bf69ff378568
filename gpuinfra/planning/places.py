"""Where a workload may stand: clouds, regions and zones, checked against the clouds' tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from gpuinfra.clouds import CLOUDS, room
from gpuinfra.errors import PathPart, Problem, nearest
from gpuinfra.stackfile.schema import Where

Path = tuple[PathPart, ...]

ANY: Final = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One cloud of a `where`, with its regions in the order of the file, and its zones.

    `alone` says that the file allows no other cloud, so that a region it lacks is wrong.
    """

    cloud: str
    regions: tuple[str, ...]
    zones: tuple[str, ...] = ()
    alone: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """A `where`: one place for each cloud it allows, at least one, and what is wrong with it."""

    places: tuple[Place, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def first(self) -> Place:
        """Where something stands that nothing else places."""
        return self.places[0]


def places(where: Where, path: Path) -> Places:
    """Check a `where` at a path of the file.

    `any` is every cloud that builds and has one of the regions: their names tell them apart.
    """
    if where.cloud == ANY:
        return _any(where, path)
    place = Place(cloud=where.cloud, regions=where.regions, zones=where.zones)
    return Places(
        places=(place,),
        problems=(*_regions(place, path), *_zones((place,), where, path)),
    )


@cache
def builders() -> tuple[str, ...]:
    """The clouds whose rooms build, in the order in which ties are broken."""
    return tuple(cloud for cloud in CLOUDS if "build" in room(cloud).can)


def cloud_with(region: str) -> str | None:
    """The cloud that has a region; None when none has."""
    return next((cloud for cloud in builders() if region in room(cloud).regions()), None)


def known_region(cloud: str, region: str, path: Path) -> Problem | None:
    """What is wrong with a region; None when the cloud has it."""
    known = room(cloud).regions()
    if region in known:
        return None
    elsewhere = cloud_with(region)
    return Problem(
        message=f"unknown region of {cloud}",
        path=path,
        value=region,
        allowed=", ".join(known),
        suggestion=nearest(region, known),
        fix=f"it is a region of {elsewhere}" if elsewhere else "",
    )


def _any(where: Where, path: Path) -> Places:
    found: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for index, region in enumerate(where.regions):
        cloud = cloud_with(region)
        if cloud is None:
            problems.append(_no_clouds(region, (*path, "regions", index)))
        else:
            found.setdefault(cloud, []).append(region)
    all_of = tuple(
        Place(
            cloud=cloud,
            regions=tuple(regions),
            zones=tuple(zone for zone in where.zones if zone in _zones_of(cloud, regions)),
            alone=len(found) == 1,
        )
        for cloud, regions in found.items()
    )
    problems += _zones(all_of, where, path)
    nowhere = Place(cloud=builders()[0], regions=where.regions)
    return Places(places=all_of or (nowhere,), problems=tuple(problems))


def _no_clouds(region: str, path: Path) -> Problem:
    known = [one for cloud in builders() for one in room(cloud).regions()]
    return Problem(
        message="no cloud has this region",
        path=path,
        value=region,
        allowed=f"regions of {', '.join(builders())}",
        suggestion=nearest(region, known),
    )


def _regions(place: Place, path: Path) -> Iterator[Problem]:
    for index, region in enumerate(place.regions):
        wrong = known_region(place.cloud, region, (*path, "regions", index))
        if wrong is not None:
            yield wrong


def _zones(places_: tuple[Place, ...], where: Where, path: Path) -> Iterator[Problem]:
    """Zones that no region here has, and regions of which none is listed though others are."""
    regions = [
        (place.cloud, region)
        for place in places_
        for region in place.regions
        if region in room(place.cloud).regions()
    ]
    known = tuple(zone for cloud, region in regions for zone in room(cloud).known_zones(region))
    for index, zone in enumerate(where.zones):
        if regions and zone not in known:
            yield Problem(
                message="unknown zone",
                path=(*path, "zones", index),
                value=zone,
                allowed=", ".join(known),
                suggestion=nearest(zone, known),
            )
    told = all(zone in known for zone in where.zones)
    for cloud, region in regions if where.zones and told else ():
        own = room(cloud).known_zones(region)
        if own and not any(zone in own for zone in where.zones):
            yield Problem(
                message=f"no zone of {region} is listed",
                path=(*path, "zones"),
                allowed=", ".join(own),
                fix=f"add one of them, or remove {region} from the regions",
            )


def _zones_of(cloud: str, regions: list[str]) -> frozenset[str]:
    return frozenset(zone for region in regions for zone in room(cloud).known_zones(region))
