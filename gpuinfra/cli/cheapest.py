"""The cheapest region of a place for the GPUs given to `gpuinfra init`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gpuinfra.catalog import PriceBook, Request, choose
from gpuinfra.catalog.choosing.known_names import cloud_with
from gpuinfra.catalog.choosing.ranking import lacks_fabric_software
from gpuinfra.catalog.continents import continent_of, nearest_to, regions_of
from gpuinfra.catalog.rates import ON_DEMAND, SPOT
from gpuinfra.cli import drafts
from gpuinfra.clouds import CLOUDS, all_regions, title
from gpuinfra.clouds.region_hints import regions_in
from gpuinfra.errors import InputError, RefusedError
from gpuinfra.records import record
from gpuinfra.report.run_words import bound_mark
from gpuinfra.stackfile.starter_settings import WorkloadSettings
from gpuinfra.units import format_count, format_money

if TYPE_CHECKING:
    from gpuinfra.catalog import Candidate

ANYWHERE: Final = "any"
"""The place that has all regions."""

MOST_TRIED: Final = 6
"""So many of the cheapest regions are tried until the file passes in one."""

_NO_SETTINGS: Final = WorkloadSettings()

_OTHER_PARTITIONS: Final = ("cn-", "us-gov-")
"""The prefixes of regions that require an account of another AWS partition.

https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
"""


@record
class CheapestStackFile:
    """A stack file in the cheapest region of a place.

    Attributes:
        text: the file.
        comparison: one line on the comparison; empty where nothing was.
    """

    text: str
    comparison: str = ""


def place_regions(place_text: str, clouds: Sequence[str] = CLOUDS) -> tuple[str, ...]:
    """Return the regions of a continent, country, city or cloud, or all for `any`; else empty."""
    known_regions = all_regions(clouds)
    if place_text.strip().lower() == ANYWHERE:
        regions: Sequence[str] = known_regions
    elif place_text in clouds:
        regions = all_regions((place_text,))
    else:
        regions = regions_of(place_text, clouds) or regions_in(place_text, known_regions)
    return tuple(region for region in regions if not region.startswith(_OTHER_PARTITIONS))


def cloud_of_place(place_text: str | None, cloud: str | None) -> str | None:
    """Return the given cloud, after checking that it has the place; None if no cloud is given.

    Raises:
        InputError: the place is of another cloud.
    """
    if place_text is None or cloud is None:
        return cloud
    if place_text in CLOUDS:
        if place_text != cloud:
            fix = "name one cloud: leave --cloud or --where out"
            raise _where_error(
                f"{place_text} is another cloud than --cloud {cloud}", place_text, fix
            )
        return cloud
    here = all_regions((cloud,))
    other = cloud_with(place_text)
    if place_text not in here and other is not None:
        near_region = nearest_to(place_text, here)
        fix = f"write --cloud {other}"
        fix += f", or --where {near_region}, which is near it" if near_region else ""
        raise _where_error(f"{place_text} is a region of {other}, not of {cloud}", place_text, fix)
    if not place_regions(place_text, (cloud,)) and place_regions(place_text):
        fix = f"write another --where, or leave --cloud {cloud} out"
        raise _where_error(f"{title(cloud)} has no region there", place_text, fix)
    return cloud


def _where_error(message: str, place_text: str, fix: str) -> InputError:
    return InputError.of(message, value=f"--where {place_text}", fix=fix)


def cheapest(
    folder: Path,
    gpu: str,
    place_text: str,
    text: Callable[[Sequence[str]], str],
    clouds: Sequence[str] = CLOUDS,
    settings: WorkloadSettings = _NO_SETTINGS,
) -> CheapestStackFile:
    """Return the stack file for the cheapest region of a place in which it passes a check.

    Where no region there has a known price on spot, the prices on demand are compared. Several
    machines are in a region whose default image can use their fabric, if there is one.

    Args:
        folder: where it will be written.
        gpu: the GPUs of one machine.
        place_text: a word for several regions.
        text: makes it for regions.
        clouds: those whose regions are compared.
        settings: the number of machines, and the capacity whose prices are compared.

    Raises:
        InputError: the GPUs are not found, or not sold there.
    """
    regions = place_regions(place_text, clouds)
    sold = _cheapest_per_region(gpu, regions, clouds)
    if regions and not sold:
        _refuse_place(gpu, place_text, regions, clouds)
    on_spot = _cheapest_per_region(gpu, regions, clouds, SPOT) if settings.capacity == SPOT else []
    ranked = _priced(on_spot) or _priced(sold)
    if settings.has_several_machines:
        ranked.sort(key=lambda candidate: lacks_fabric_software(candidate.machine))
    for best in ranked[:MOST_TRIED]:
        try:
            stack_text = text([best.region])
            drafts.check_draft(folder, stack_text)
        except (InputError, RefusedError):
            continue
        return CheapestStackFile(
            text=stack_text,
            comparison="".join(_comparison_parts(best, ranked, place_text, settings)),
        )
    # No region has a known price and passes: what is said of several then says why.
    regions_to_try = (*(candidate.region for candidate in sold), *regions)
    of_each = (
        next(
            (
                cloud_place
                for cloud_place in regions_to_try
                if cloud_place in all_regions((cloud,))
            ),
            "",
        )
        for cloud in clouds
    )
    return CheapestStackFile(text=text(list(filter(None, of_each))))


def _refuse_place(gpu: str, where: str, regions: Sequence[str], clouds: Sequence[str]) -> None:
    """Raise an error that names regions near a place without the GPUs.

    Nothing is raised where no region has them: the reason is then another one.

    Raises:
        InputError: a region elsewhere has the GPUs.
    """
    fix = _places_near(regions[0], clouds, lambda wider: _cheapest_per_region(gpu, wider, clouds))
    if fix:
        place_text = f"{where} ({clouds[0]})" if len(clouds) == 1 else where
        raise InputError.of(
            f"no region in {place_text} has {gpu}",
            path=("gpu",),
            value=f"--where {where}",
            fix=fix,
        )


def request_near(request: Request, book: PriceBook) -> str:
    """Return the nearest regions that have what was requested; empty if none has."""
    clouds = tuple(cloud for cloud in CLOUDS if cloud in request.clouds)

    def offers_in(regions: Sequence[str]) -> "Sequence[Candidate]":
        try:
            return choose(replace(request, clouds=clouds, regions=tuple(regions)), book).ranked
        except InputError:
            return ()

    return _places_near(request.regions[0], clouds, offers_in)


def _places_near(
    region: str,
    clouds: Sequence[str],
    offers_in: "Callable[[Sequence[str]], Sequence[Candidate]]",
) -> str:
    """Return the nearest region of each cloud that has an offer; empty where none has.

    Args:
        region: where none is.
        clouds: whose regions are named.
        offers_in: returns the offers in regions.
    """
    for wider in filter(None, (continent_of(region), ANYWHERE)):
        offers = offers_in(place_regions(wider, clouds))
        near_regions = [
            f"{cloud} {nearest_to(region, here) or here[0]}"
            for cloud in clouds
            if (here := [offer.region for offer in offers if offer.machine.cloud == cloud])
        ]
        if near_regions:
            label = "near it" if wider != ANYWHERE else "elsewhere"
            return f"{label}: {', '.join(near_regions)}: --where {wider} compares them"
    return ""


def _priced(candidates: "Sequence[Candidate]") -> "list[Candidate]":
    return [candidate for candidate in candidates if candidate.per_hour is not None]


def _cheapest_per_region(
    gpu: str, regions: Sequence[str], clouds: Sequence[str], capacity: str = ON_DEMAND
) -> "list[Candidate]":
    """Return the cheapest machine with the GPUs for each region that sells one."""
    from gpuinfra import api  # noqa: PLC0415  (a pipeline needs no prices)

    try:
        choice = api.choose(gpu, clouds=clouds, regions=regions, capacity=capacity)
    except InputError:
        return []
    of_region: dict[tuple[str, str], Candidate] = {}
    for candidate in choice.ranked:
        of_region.setdefault((candidate.machine.cloud, candidate.region), candidate)
    return list(of_region.values())


def _comparison_parts(
    best: "Candidate",
    candidates: "Sequence[Candidate]",
    place_text: str,
    settings: WorkloadSettings,
) -> Iterator[str]:
    """Yield the parts of a line: the number of regions, the best, and the next of other clouds."""
    area = "" if place_text == ANYWHERE else f" in {place_text}"
    if settings.capacity == SPOT:
        known = best.mode == SPOT
        area += " on spot" if known else " on demand, as no spot price there is known"
    if len(candidates) == 1:
        yield f"the only priced region{area}: {_candidate_text(best)}"
        return
    without_software = [
        candidate
        for candidate in candidates
        if settings.has_several_machines and lacks_fabric_software(candidate.machine)
    ]
    count = len(candidates)
    if without_software and best not in without_software:
        count -= len(without_software)
        area += " whose default image has the fabric driver and the NCCL plugin"
    first = candidates.index(best)
    passing = f" after {format_count(first, 'region')} that did not pass a check" if first else ""
    yield f"cheapest of {count} priced regions{area}{passing}: {_candidate_text(best)}"
    best_by_cloud = {best.machine.cloud: best}
    for candidate in candidates[first:]:
        best_by_cloud.setdefault(candidate.machine.cloud, candidate)
    for candidate in list(best_by_cloud.values())[1:]:
        needs = ", requires a machine_image with both" if candidate in without_software else ""
        yield f"; {_candidate_text(candidate)}{needs}"


def _candidate_text(candidate: "Candidate") -> str:
    amount = f"{bound_mark(candidate.bounded_by)}{format_money(candidate.per_hour)}"
    return f"{candidate.machine.cloud} {candidate.region}, {amount}/h"
