"""Whether `gpuinfra init` writes the commented file of `--what everything`, and of which cloud."""

import click

from gpuinfra.stackfile.starter import SHORT_FILES, STARTERS
from gpuinfra.stackfile.starter_settings import WorkloadSettings


def is_everything(what: str | None, gpu: str | None, settings: WorkloadSettings) -> bool:
    """Return whether the commented file is written.

    Raises:
        click.UsageError: it is asked for, with GPUs or settings other than it has.
    """
    if what == "everything" and not (gpu is None and settings.is_empty):
        kinds = ", ".join(SHORT_FILES)
        gpu_advice = (
            "GPUs of its own; --gpu" if gpu is not None else "workloads of its own; the option"
        )
        raise click.UsageError(f"--what everything has {gpu_advice} goes with {kinds}")
    return what == "everything"


def starter_of(place_text: str | None, cloud: str | None) -> str:
    """Return the cloud of the commented stack file.

    Raises:
        click.UsageError: it is not written for this place.
    """
    if place_text is None or place_text in STARTERS:
        return place_text or cloud or next(iter(STARTERS))
    clouds = ", ".join(STARTERS)
    raise click.UsageError(f"--what everything takes a cloud as --where: {clouds}")
