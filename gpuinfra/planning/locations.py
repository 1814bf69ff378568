"""The locations that a workload may use, checked against the clouds' tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from gpuinfra.catalog import cloud_with, unknown_region
from gpuinfra.clouds import CLOUDS, all_regions, provider_of
from gpuinfra.errors import PathPart, Problem, unknown_word
from gpuinfra.records import record
from gpuinfra.specs.schema import Where

Path = tuple[PathPart, ...]

ANY: Final = "any"


@record
class CloudPlace:
    """One cloud of a `where`, with its regions in the order of the file, and its zones."""

    cloud: str
    regions: tuple[str, ...]
    zones: tuple[str, ...] = ()


@record
class Places:
    """A `where`: one place for each cloud it allows, at least one, and its problems."""

    places: tuple[CloudPlace, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def default_place(self) -> CloudPlace:
        """The default place, for resources that nothing else places."""
        return self.places[0]


def check_places(location: Where, path: Path) -> Places:
    """Check a `location` at a path of the file, and return its places.

    `any` is every cloud that builds and has one of the regions: their names tell them apart.
    """
    if location.cloud == ANY:
        return _places_on_any_cloud(location, path)
    cloud_place = CloudPlace(cloud=location.cloud, regions=location.regions, zones=location.zones)
    return Places(
        places=(cloud_place,),
        problems=(*_regions(cloud_place, path), *_zones((cloud_place,), location, path)),
    )


def with_regions(
    cloud_places: tuple[CloudPlace, ...], named_regions: Sequence[tuple[str, Path]]
) -> tuple[tuple[CloudPlace, ...], tuple[Problem, ...]]:
    """Return the places whose cloud has every region that ladder steps name, and the problems.

    A ladder stays on one cloud, so that a step's own region demands the region's cloud.
    """
    remaining, problems = cloud_places, []
    for region, path in named_regions:
        places_with_region = tuple(
            place for place in remaining if region in provider_of(place.cloud).regions.all()
        )
        if not places_with_region:
            problems.append(_unknown_region_problem(remaining, region, path))
        remaining = places_with_region or remaining
    return remaining, tuple(problems)


def _places_on_any_cloud(location: Where, path: Path) -> Places:
    regions_of: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for index, region in enumerate(location.regions):
        cloud = cloud_with(region, CLOUDS)
        if cloud is None:
            problems.append(_no_clouds(region, (*path, "regions", index)))
        else:
            regions_of.setdefault(cloud, []).append(region)
    all_of = tuple(
        CloudPlace(
            cloud=cloud,
            regions=tuple(regions),
            zones=tuple(zone for zone in location.zones if zone in _zones_of(cloud, regions)),
        )
        for cloud, regions in regions_of.items()
    )
    problems += _zones(all_of, location, path)
    nowhere = tuple(CloudPlace(cloud=cloud, regions=location.regions) for cloud in CLOUDS)
    return Places(places=all_of or nowhere, problems=tuple(problems))


def _no_clouds(region: str, path: Path) -> Problem:
    from gpuinfra.catalog.continents import regions_of  # noqa: PLC0415  (only of a mistake)
    from gpuinfra.clouds.region_hints import region_hint  # noqa: PLC0415  (only of a mistake)

    on_continent = regions_of(region, CLOUDS)
    suggestion, write = region_hint(region, all_regions(CLOUDS))
    return Problem(
        message="a continent is not accepted as a region"
        if on_continent
        else "no cloud has this region",
        path=path,
        value=region,
        allowed=f"regions of {', '.join(CLOUDS)}",
        suggestion="" if on_continent else suggestion,
        fix=f"name regions, for example {on_continent[0]}: `gpuinfra catalog regions` lists them"
        if on_continent
        else write,
    )


def _unknown_region_problem(remaining: Sequence[CloudPlace], region: str, path: Path) -> Problem:
    """Return the problem of a step's region that none of the places' clouds has."""
    clouds = [cloud_place.cloud for cloud_place in remaining]
    wrong = unknown_region(clouds[0], region, path) if len(clouds) == 1 else None
    if wrong is not None:
        return wrong
    other_cloud = cloud_with(region, CLOUDS)
    if other_cloud is None:
        return _no_clouds(region, path)
    return Problem(
        message=f"a region of {other_cloud}, and `where` lists no region of that cloud",
        path=path,
        value=region,
        allowed=f"regions of {' or '.join(clouds)}",
        fix=f"add a region of {other_cloud} to where, or use another region here",
    )


def _regions(cloud_place: CloudPlace, path: Path) -> Iterator[Problem]:
    for index, region in enumerate(cloud_place.regions):
        wrong = unknown_region(cloud_place.cloud, region, (*path, "regions", index))
        if wrong is not None:
            yield wrong


def _zones(places_: tuple[CloudPlace, ...], location: Where, path: Path) -> Iterator[Problem]:
    """Yield problems of unknown zones, and of regions that lack a listed zone."""
    regions = [
        (cloud_place.cloud, region)
        for cloud_place in places_
        for region in cloud_place.regions
        if region in provider_of(cloud_place.cloud).regions.all()
    ]
    known_zones = tuple(
        zone for cloud, region in regions for zone in provider_of(cloud).regions.zones(region)
    )
    for index, zone in enumerate(location.zones):
        if regions and zone not in known_zones:
            yield unknown_word("unknown zone", zone, known_zones, (*path, "zones", index))
    all_zones_known = all(zone in known_zones for zone in location.zones)
    for cloud, region in regions if location.zones and all_zones_known else ():
        region_zones = provider_of(cloud).regions.zones(region)
        if region_zones and not any(zone in region_zones for zone in location.zones):
            yield Problem(
                message=f"no zone of {region} is listed",
                path=(*path, "zones"),
                allowed=", ".join(region_zones),
                fix=f"add one of them, or remove {region} from the regions",
            )


def _zones_of(cloud: str, regions: list[str]) -> frozenset[str]:
    return frozenset(
        zone for region in regions for zone in provider_of(cloud).regions.zones(region)
    )
