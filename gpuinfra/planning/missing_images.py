"""Problems of machines that no public image is known to start."""

from dataclasses import replace
from typing import Final

from gpuinfra.catalog import NothingFits, Request
from gpuinfra.catalog.choosing.known_names import startable, starts
from gpuinfra.catalog.gpus import NEAREST, most_similar
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine

_SET_IMAGE: Final = "set machine_image to an image that has its drivers"


def no_image(request: Request, machine: Machine, own_image: str = _SET_IMAGE) -> Problem:
    """Return the problem of a machine without a public image, with similar GPUs that have one.

    `own_image` is what to do to keep the machine.
    """
    kind = f"{machine.gpu}, {machine.architecture}" if machine.architecture else machine.gpu
    return Problem(
        message=f"no public image is known for {machine.type} ({kind})",
        path=("instance",) if request.instance is not None else ("gpu",),
        value=request.machine_text,
        fix=f"{own_image}, or use {_with_image(request, machine)}",
    )


def no_image_elsewhere(request: Request, error: InputError) -> Problem | None:
    """Return the problem of a missing image if other regions alone have the nearest machines.

    It names these regions: to move there is of no use without an image.
    """
    if not isinstance(error, NothingFits) or not error.is_elsewhere:
        return None
    [cloud, *_] = request.clouds
    elsewhere = [
        provider_of(cloud).machines.get(rejected.machine)
        for rejected in error.nearest
        if rejected.constraint == "region"
    ]
    without_image = [
        machine for machine in elsewhere if machine and not starts(machine, request.purpose)
    ]
    if len(without_image) < len(elsewhere):
        return None
    own_image = f"{_SET_IMAGE}, and {error.alternative}"
    problem = no_image(request, without_image[0], own_image)
    not_here = f"{error.problems[0].message}; {problem.message}"
    return replace(problem, message=not_here)


def _with_image(request: Request, machine: Machine) -> str:
    """Return, as text, the most similar GPUs whose machines have a public image."""
    provider = provider_of(machine.cloud)
    current = (each for each in provider.machines.all_machines() if each.status == "current")
    gpus = most_similar([machine.gpu], startable(current, request.purpose) - {machine.gpu})[
        :NEAREST
    ]
    return f"a GPU whose machines have one: {', '.join(gpus)}" if gpus else "another machine type"
