"""Problems of machines that no public image is known to start."""

from collections.abc import Iterator

from gpuinfra.catalog import NothingFits, Request
from gpuinfra.catalog.choosing.known_names import startable, starts
from gpuinfra.catalog.gpus import NEAREST, most_similar
from gpuinfra.clouds import provider_of
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine


def no_image(request: Request, machine: Machine) -> Problem:
    """Return the problem of a machine without a public image, with similar GPUs that have one."""
    kind = f"{machine.gpu}, {machine.architecture}" if machine.architecture else machine.gpu
    return Problem(
        message=f"no public image is known for {machine.type} ({kind})",
        path=("instance",) if request.instance is not None else ("gpu",),
        value=request.machine_text,
        fix="set machine_image to an image that has its drivers, or use "
        f"{_with_image(request, machine)}",
    )


def no_image_elsewhere(request: Request, error: InputError) -> Iterator[Problem]:
    """Yield the problem of a missing image if other regions alone have the nearest machines."""
    if not isinstance(error, NothingFits):
        return
    if [rejected.constraint for rejected in error.nearest[:1]] != ["region"]:
        return
    [cloud, *_] = request.clouds
    elsewhere = [
        provider_of(cloud).machines.get(rejected.machine)
        for rejected in error.nearest
        if rejected.constraint == "region"
    ]
    without_image = [
        machine for machine in elsewhere if machine and not starts(machine, request.purpose)
    ]
    if len(without_image) == len(elsewhere):
        yield no_image(request, without_image[0])


def _with_image(request: Request, machine: Machine) -> str:
    """Return, as text, the most similar GPUs whose machines have a public image."""
    provider = provider_of(machine.cloud)
    current = (each for each in provider.machines.all_machines() if each.status == "current")
    gpus = most_similar([machine.gpu], startable(current, request.purpose) - {machine.gpu})[
        :NEAREST
    ]
    return f"a GPU whose machines have one: {', '.join(gpus)}" if gpus else "another machine type"
