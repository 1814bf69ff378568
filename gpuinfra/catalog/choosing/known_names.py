"""Checks that clouds have a region, a machine type or a GPU, and problems of unknown ones."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.catalog.choosing.request import Request, model_in
from gpuinfra.catalog.gpus import (
    by_memory,
    gpu_names,
    matching,
    most_similar,
    nearest_gpus_text,
    unlisted_accelerator,
)
from gpuinfra.clouds import (
    CLOUDS,
    PRICED_CLOUDS,
    all_machines,
    all_regions,
    priced_cloud_of,
    provider_of,
    title,
)
from gpuinfra.errors import PathPart, Problem, command_line
from gpuinfra.model import Machine, Purpose
from gpuinfra.records import record
from gpuinfra.similar_words import nearest
from gpuinfra.units.message_merging import first_in_words

Path = tuple[PathPart, ...]

_FAMILY: Final = r"[A-Za-z]+_[A-Z]+|[a-z0-9]+"
"""The pattern of a type's family prefix: p5 of p5.48xlarge, a3 of a3-highgpu-8g, Standard_ND."""

MAX_SUGGESTED_REGIONS: Final = 4
"""The maximum number of regions suggested in place of a region of another cloud."""

MAX_SUGGESTED_GPUS: Final = 8
"""The maximum number of GPUs suggested in place of an unavailable one, most similar first."""


@record
class OtherCloudsMachine(Problem):
    """A GPU or a machine type that the clouds of a request lack.

    `similar_gpus` are those that `allowed` names in place of a GPU, most similar first.
    """

    similar_gpus: tuple[str, ...] = ()


def unknown(market: Market) -> Iterator[Problem]:
    """Yield problems of the GPU, machine type and regions of a request that its clouds lack."""
    request = market.request
    if request.gpu is not None:
        yield from _unknown_gpu(market, request.gpu)
    if request.instance is not None and all(
        machine.type != request.instance for machine in market.machines
    ):
        yield _no_type(request.clouds, market.machines, request.instance, ("instance",))
    for index, region in enumerate(request.regions):
        if not any(region in market.known_regions(cloud) for cloud in request.clouds):
            path = ("where", "regions", index)
            known = dict.fromkeys(
                each for cloud in request.clouds for each in market.known_regions(cloud)
            )
            problem = _no_region(request.clouds, tuple(known), region, path)
            yield _or_continent(problem, request.clouds, region)


def starts(machine: Machine, purpose: Purpose | None) -> bool:
    """Return whether a machine starts from a public image; any does, if the caller has one."""
    return purpose is None or (
        machine.cloud in CLOUDS and provider_of(machine.cloud).images.has_image(machine, purpose)
    )


def startable(machines: Iterable[Machine], purpose: Purpose | None) -> frozenset[str]:
    """Return the GPUs of machines that start from a public image for a purpose."""
    return frozenset(machine.gpu for machine in machines if starts(machine, purpose))


def buildable_gpus(market: Market) -> frozenset[str]:
    """Return the GPUs of machines of a request's clouds that gpuinfra builds with."""
    purpose = market.request.purpose or "training"
    current = (machine for machine in market.machines if machine.status == "current")
    return startable((each for each in current if each.cloud in CLOUDS), purpose)


def cloud_with(region: str, clouds: Sequence[str] = CLOUDS) -> str | None:
    """Return the first cloud that has a region; None when none has."""
    return next(
        (cloud for cloud in clouds if region in priced_cloud_of(cloud).regions.all()), None
    )


def unknown_region(cloud: str, region: str, path: Path) -> Problem | None:
    """Return the problem of an unknown region; None when the cloud has it."""
    known = priced_cloud_of(cloud).regions.all()
    return None if region in known else _no_region((cloud,), known, region, path)


def unknown_place(clouds: Sequence[str], place: str) -> Problem:
    """Return the problem of a place that is no region, city, country or continent of clouds."""
    return _or_continent(_no_region(clouds, all_regions(clouds), place, ()), clouds, place)


def unknown_type(cloud: str, type_: str, path: Path) -> Problem | None:
    """Return the problem of an unknown machine type; None when the cloud's table has it."""
    provider = priced_cloud_of(cloud)
    if provider.machines.get(type_) is not None:
        return None
    return _no_type((cloud,), provider.machines.all_machines(), type_, path)


def is_of_known_family(type_: str) -> bool:
    """Return whether a table of GPU machines, of any cloud, has the family of a type."""
    family = _family(type_)
    return any(_family(machine.type) == family for machine in all_machines())


def clouds_with(keys: Collection[str]) -> tuple[str, ...]:
    """Return the clouds that have a machine with one of these GPUs."""
    return tuple(
        cloud
        for cloud in PRICED_CLOUDS
        if any(machine.gpu in keys for machine in priced_cloud_of(cloud).machines.all_machines())
    )


def _unknown_gpu(market: Market, word: str) -> Iterator[Problem]:
    offers = {machine.gpu for machine in market.machines if machine.status == "current"}
    keys = matching(word)
    model = model_in(word)
    if model is not None:
        from gpuinfra.catalog.sizing.model_names import UNKNOWN, not_a_gpu  # noqa: PLC0415

        write = f"write gpu: {{for_model: {model or UNKNOWN}}}"
        yield replace(not_a_gpu(market.request.machine_text, model, write), path=("gpu", "model"))
    elif not keys:
        from gpuinfra.specs.values import gpu_hint  # noqa: PLC0415  (only a wrong word needs it)

        hint = gpu_hint(word)
        offered_spellings = tuple(
            spelling for spelling in gpu_names() if not offers.isdisjoint(matching(spelling))
        )
        suggestion = _with_count(
            hint if matching(hint.partition(":")[0]) else nearest(word, offered_spellings),
            market.request,
        )
        family = [machine for machine in market.machines if _family(machine.type) == word.lower()]
        typed = market.largest(family)
        choose = command_line("choose", typed)
        yield Problem(
            message="unknown GPU",
            path=("gpu", "model"),
            value=market.request.machine_text,
            allowed=", ".join(sorted(offers) if suggestion else by_memory(offers)),
            suggestion="" if typed else suggestion,
            fix=_gpu_request_for_model(word)
            or (typed and f"{word} is a family of machine types: {choose}, or instance: {typed}")
            or unlisted_accelerator(word)
            + _list_hint("ls", market.request.clouds, "the GPUs of all machine types"),
        )
    elif not any(machine.gpu in keys for machine in market.machines):
        other_clouds = ", ".join(clouds_with(keys))
        clouds = market.request.clouds
        cloud_text = f" of {clouds[0]}" if len(clouds) == 1 else ""
        started = startable(market.machines, market.request.purpose)
        similar = most_similar(keys, offers & started or offers)
        buildable = buildable_gpus(market)
        buildable_first = sorted(similar, key=lambda similar_gpu: similar_gpu not in buildable)
        fixes = (
            other_clouds and f"available on {other_clouds}",
            nearest_gpus_text(keys, buildable_first),
        )
        yield OtherCloudsMachine(
            message=f"no machine type{cloud_text} has this GPU",
            path=("gpu", "model"),
            value=market.request.machine_text,
            allowed=first_in_words(buildable_first, MAX_SUGGESTED_GPUS),
            fix="; ".join(filter(None, fixes)),
            similar_gpus=tuple(buildable_first[:MAX_SUGGESTED_GPUS]),
        )


def _with_count(gpu: str, request: Request) -> str:
    """Return a GPU with the count of the request, if that writes both as one word: H100:8."""
    is_whole = not gpu or ":" in gpu or not request.as_word
    return gpu if is_whole else replace(request, gpu=gpu).machine_text


def _gpu_request_for_model(model: str) -> str:
    """Return how GPUs are requested for a model; empty where the word names no known model."""
    from gpuinfra.catalog.sizing.measured_models import measured_models  # noqa: PLC0415  (only a mistake)
    from gpuinfra.catalog.sizing.shapes import models  # noqa: PLC0415  (only a mistake)

    if model not in {*models(), *measured_models()}:
        return ""
    return f"it is a model, not a GPU: write gpu: {{for_model: {model}}}, or --for-model {model}"


def _list_hint(command: str, clouds: Sequence[str], content: str) -> str:
    """Return a message with the command that lists the values of clouds."""
    cloud_option = ("--cloud", clouds[0]) if len(clouds) == 1 else ()
    return f"`{command_line('catalog', command, *cloud_option)}` lists {content}"


def _no_region(clouds: Sequence[str], known: Sequence[str], region: str, path: Path) -> Problem:
    from gpuinfra.catalog.continents import nearest_region  # noqa: PLC0415  (only of a mistake)
    from gpuinfra.clouds.region_hints import region_hint  # noqa: PLC0415

    other_cloud = cloud_with(region, PRICED_CLOUDS)
    is_single = len(clouds) == 1
    if is_single and not other_cloud and (near := nearest_region(region, known)):
        return Problem(
            message=f"{title(clouds[0])} has no region there",
            path=path,
            value=region,
            fix=f"the nearest is {near}; {_list_hint('regions', clouds, 'its regions')}",
        )
    suggestion, write = ("", "") if other_cloud else region_hint(region, known)
    lists = "; ".join(filter(None, (write, _list_hint("regions", clouds, "them"))))
    return Problem(
        message=f"unknown region of {clouds[0]}" if is_single else "no cloud has this region",
        path=path,
        value=region,
        allowed=", ".join(known) if is_single or suggestion else f"regions of {', '.join(clouds)}",
        suggestion=suggestion,
        fix=f"{_other_cloud_hint(other_cloud, clouds, known, region)}; {lists}"
        if other_cloud
        else lists,
    )


def _or_continent(problem: Problem, clouds: Sequence[str], region: str) -> Problem:
    """Return the problem of an unknown region where a larger place may be named as well."""
    from gpuinfra.catalog.continents import continents, regions_of  # noqa: PLC0415  (only a mistake)

    names = [name for name in continents() if regions_of(name, clouds)]
    short = f"{', '.join(names)}; or a country, a city or a region of {', '.join(clouds)}"
    nearest_name = nearest(region, names)
    if nearest_name and not problem.suggestion and not cloud_with(region, PRICED_CLOUDS):
        lists = _list_hint("regions", clouds, "the regions of each")
        return replace(problem, allowed=short, suggestion=nearest_name, fix=lists)
    listed = f"{problem.allowed}, {', '.join(names)}"
    return replace(problem, allowed=listed if problem.suggestion else short)


def _other_cloud_hint(
    other_cloud: str, clouds: Sequence[str], known: Sequence[str], region: str
) -> str:
    """Return a message with the cloud of a region, and nearby regions of the given cloud."""
    from gpuinfra.catalog.continents import (  # noqa: PLC0415  (only a mistake needs it)
        continent_of,
        on_one_continent,
    )

    fix = f"it is a region of {title(other_cloud)}"
    near_regions = on_one_continent(region, known)
    if near_regions and len(clouds) == 1:
        own_text = f"regions of {title(clouds[0])} in {continent_of(region)}"
        fix += f"; {own_text}: {', '.join(near_regions[:MAX_SUGGESTED_REGIONS])}"
    return fix


def _no_type(clouds: Sequence[str], listed: Sequence[Machine], type_: str, path: Path) -> Problem:
    types = tuple(machine.type for machine in listed)
    family = sorted(other for other in types if _family(other) == _family(type_))
    other_machine = next(
        filter(None, (priced_cloud_of(cloud).machines.get(type_) for cloud in PRICED_CLOUDS)), None
    )
    fix = ""
    if other_machine is not None:
        fix = f"it is a machine type of {other_machine.cloud}"
        if any(
            (machine.gpu, machine.gpu_count) == (other_machine.gpu, other_machine.gpu_count)
            for machine in listed
        ):
            fix += f"; request its GPU: gpu: {other_machine.gpu}:{other_machine.gpu_count}"
    elif not family:
        cloud_option = f" --cloud {clouds[0]}" if len(clouds) == 1 else ""
        fix = f"`gpuinfra choose H100:8{cloud_option}` ranks machine types for a GPU"
    problem_type = Problem if other_machine is None else OtherCloudsMachine
    return problem_type(
        message="unknown machine type",
        path=path,
        value=type_,
        allowed=", ".join(family),
        suggestion="" if other_machine else nearest(type_, types),
        fix=fix,
    )


def _family(type_: str) -> str:
    match = re.match(_FAMILY, type_)
    return match[0] if match else type_
