"""Unknown GPUs and machine types of a stack file with other faults, which can't be planned."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.catalog import CATALOG, Request
from gpuinfra.catalog.choosing.candidate_machines import STOCK
from gpuinfra.catalog.choosing.known_names import unknown
from gpuinfra.catalog.choosing.regional_offers import Market
from gpuinfra.clouds import CLOUDS
from gpuinfra.errors import PathPart, Problem
from gpuinfra.specs import values
from gpuinfra.specs.schema import SECTIONS, Stack
from gpuinfra.stackfile.yaml_composer import mapping

Path = tuple[PathPart, ...]

_WORKLOADS: Final = tuple(section for section in SECTIONS if section != "buckets")


def unknown_names(file: Any, valid_stack: Stack | None) -> Iterator[Problem]:
    """Yield the problems of unknown GPUs and machine types in workloads that are not planned.

    Args:
        file: the whole file as plain values, which may have any fault.
        valid_stack: the stack that planning judges; None where it judges nothing.
    """
    top = mapping(file)
    for section in _WORKLOADS:
        planned_names = {} if valid_stack is None else getattr(valid_stack, section)
        for name, work in mapping(top.get(section)).items():
            if name not in planned_names:
                where = mapping(mapping(work).get("where")) or mapping(top.get("where"))
                yield from _of_workload(mapping(work), _clouds(where), (section, name))


def _of_workload(
    work: Mapping[str, Any], clouds: tuple[str, ...], path: Path
) -> Iterator[Problem]:
    for key_path, stated_names in _stated_names(work):
        request = Request(clouds=clouds, regions=(), **stated_names)
        for problem in unknown(Market(request, CATALOG, STOCK)):
            yield replace(problem, path=(*path, *key_path))


def _stated_names(work: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the GPU and the machine types of a workload, each with its place."""
    gpu = work.get("gpu")
    model = mapping(gpu).get("model") if isinstance(gpu, Mapping) else gpu
    if isinstance(model, str) and re.fullmatch(values.GPU_PATTERN, model):
        name, _, count = model.partition(":")
        gpu_path: Path = ("gpu", "model") if isinstance(gpu, Mapping) else ("gpu",)
        number = int(count) if count else None
        yield gpu_path, {"gpu": name, "count": number, "as_word": gpu_path == ("gpu",)}
    mixed = work.get("mixed")
    types = [
        (("instance",), work.get("instance")),
        *((("mixed", index), type_) for index, type_ in enumerate(_list(mixed))),
    ]
    yield from (
        (value_path, {"instance": type_}) for value_path, type_ in types if isinstance(type_, str)
    )


def _clouds(where: Mapping[str, Any]) -> tuple[str, ...]:
    cloud = where.get("cloud")
    return (cloud,) if cloud in CLOUDS else CLOUDS


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
