"""Values that are looked up once and then kept in the stack's state, whatever the cloud says."""

from collections.abc import Sequence
from typing import Any, Final

import pulumi
from pulumi.stash import Stash, StashArgs

from gpuinfra.clouds.building.children import Children
from gpuinfra.clouds.declaring import names

PINNED: Final = ("input",)
"""The one input that an update ignores. An image's alias moves to a newer image every few weeks,
and today's date every day; following them would change an unchanged stack, mid-run."""


IMAGES: Final = "images"
"""The key of Pulumi configuration, `gpuinfra:images`, that holds when images were last renewed.

Its value is in the name of each image's pin: as long as it stays, so do the images, and another
value has every one looked up anew. `gpuinfra up --update-images` writes the time, `pulumi config
set gpuinfra:images 2026-11-21` does it by hand."""


def pinned_image(
    children: Children, key: Sequence[str], value: pulumi.Input[Any]
) -> pulumi.Output[Any]:
    """The image that a name leads to now, kept until an order renews it; as `pinned` has it."""
    renewed = pulumi.Config("gpuinfra").get(IMAGES)
    return pinned(children, "image", (*key, *([renewed] if renewed else [])), value)


def pinned(
    children: Children, child: str, key: Sequence[str], value: pulumi.Input[Any]
) -> pulumi.Output[Any]:
    """What a value is now, kept from the first update on.

    `pulumi up --replace <the URN of the Stash>` renews it.

    Args:
        children: of the component.
        child: what the value is for.
        key: what was looked up, and where. It is in the pin's name, so that another region or
            another kind of image is looked up anew.
        value: what the look-up says now.
    """
    pin = Stash(
        f"{children.name(child)}-{names.digest(key)}",
        StashArgs(input=value),
        children.options(ignore_changes=list(PINNED)),
    )
    kept: pulumi.Output[Any] = pin.output
    return kept
