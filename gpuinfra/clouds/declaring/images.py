"""Image checks shared by all clouds: refusals of a missing and of an invalid image."""

from typing import TypeVar

from gpuinfra.errors import InputError

Image = TypeVar("Image")


def require_image(image: Image | None, name: str, machines: str, example: str) -> Image:
    """Return the public image; planning has refused machines that none serves.

    Args:
        image: the public one; None where there is none.
        name: of the workload.
        machines: the machines that use it, for example a machine's type.
        example: how the cloud names an image.

    Raises:
        InputError: there is none.
    """
    if image is not None:
        return image
    raise InputError.of(
        f"{name}: no public image is known for {machines} machines",
        path=(name, "machine_image"),
        allowed="an image of your own",
        fix=f"name one with machine_image: {example}",
    )


def image_error(name: str, machine_image: str, fault: str, accepted: str) -> InputError:
    """Return the error for an image that a caller names and the cloud does not accept."""
    return InputError.of(
        f"{name}: {machine_image!r} {fault}",
        path=(name, "machine_image"),
        value=machine_image,
        allowed=accepted,
    )
