"""The meaning of a user's word: a machine type of some cloud, or GPU models."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.catalog.gpus import gpu, gpu_names, matching
from gpuinfra.clouds import PRICED_CLOUDS, all_machines, priced_cloud_of
from gpuinfra.errors import InputError, Problem, command_line
from gpuinfra.model import Gpu, Machine
from gpuinfra.records import record
from gpuinfra.similar_words import nearest

QUERY_FORMS: Final = "a machine type (p5.48xlarge, a3-highgpu-8g) or a GPU (H100, A100-80GB)"


@record
class Subject:
    """The subject of a catalog query: a machine with its GPU, or GPU models alone."""

    machine: Machine | None
    gpus: tuple[Gpu, ...]


def subject(query: str) -> Subject:
    """Return the machine type or the GPU models that a word means.

    Only the clouds whose types look like the word open their tables.

    Raises:
        InputError: no table knows the word.
    """
    models = _models(*matching(query))
    if models:
        return Subject(machine=None, gpus=models)
    machine = next(_machines(query), None)
    if machine is None:
        _refuse_model(query)
        name = query.partition(":")[0]
        is_gpu_with_count = name != query and bool(matching(name))
        raise InputError(
            [_gpu_count_problem(query, name) if is_gpu_with_count else _unknown(query)]
        )
    return Subject(machine=machine, gpus=_models(machine.gpu))


def gpu_keys(query: str) -> tuple[str, ...]:
    """Return the keys of the GPU models that a word means.

    Raises:
        InputError: it means none.
    """
    keys = matching(query)
    if keys:
        return keys
    _refuse_model(query)
    raise InputError.of(
        "unknown GPU",
        value=query,
        allowed="a GPU, for example H100, A100-80GB or T4",
        suggestion=nearest(query, gpu_names()),
    )


def _refuse_model(query: str) -> None:
    """Raise an error if a word is a model.

    Raises:
        InputError: it is.
    """
    from gpuinfra.catalog.sizing.model_names import (  # noqa: PLC0415  (only of a wrong word)
        not_a_gpu,
        suggested_model,
    )

    model = suggested_model(query)
    if model is not None:
        raise InputError([not_a_gpu(query, model)])


def _models(*keys: str) -> tuple[Gpu, ...]:
    return tuple(filter(None, map(gpu, keys)))


def _machines(query: str) -> Iterator[Machine]:
    for cloud in PRICED_CLOUDS:
        priced_cloud = priced_cloud_of(cloud)
        machine = (
            priced_cloud.machines.get(query)
            if priced_cloud.machines.form.fullmatch(query)
            else None
        )
        if machine is not None:
            yield machine


def _gpu_count_problem(query: str, gpu_: str) -> Problem:
    """Return the problem of a number of GPUs, which no table of single ones has."""
    return Problem(
        message="a number of GPUs is not shown here",
        value=query,
        suggestion=gpu_,
        fix=f"to rank the machines with that many GPUs: {command_line('choose', query)}",
    )


def _unknown(query: str) -> Problem:
    types = [machine.type for machine in all_machines()]
    is_type = any(priced_cloud_of(cloud).machines.form.fullmatch(query) for cloud in PRICED_CLOUDS)
    return Problem(
        message="unknown machine type or GPU",
        value=query,
        allowed=QUERY_FORMS,
        suggestion=nearest(query, types if is_type else (*types, *gpu_names())),
        fix="`gpuinfra catalog ls` lists every machine type",
    )
