"""When `gpuinfra init` writes the commented file of `--what everything`, and for which cloud."""

import click

from gpuinfra.stackfile.starter import SHORT_FILES, STARTERS


def is_everything(cloud: str | None, what: str | None, gpu: str | None, where: str | None) -> bool:
    """Return whether the commented file is written, which only --cloud implies.

    Raises:
        click.UsageError: it is asked for, with other GPUs than it has.
    """
    if what == "everything" and gpu is not None:
        kinds = ", ".join(SHORT_FILES)
        raise click.UsageError(f"--what everything has GPUs of its own; --gpu goes with {kinds}")
    is_cloud_alone = cloud is not None and (what, gpu, where) == (None, None, None)
    return what == "everything" or is_cloud_alone


def starter_of(where: str | None, cloud: str | None) -> str:
    """Return the cloud of the commented stack file.

    Raises:
        click.UsageError: it is not written for this place.
    """
    if where is None or where in STARTERS:
        return where or cloud or next(iter(STARTERS))
    clouds = ", ".join(STARTERS)
    raise click.UsageError(f"--what everything takes a cloud as --where: {clouds}")
