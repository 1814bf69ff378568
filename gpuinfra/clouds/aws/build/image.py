"""The image that machines start from: the caller's, or the public one, pinned in the state."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from gpuinfra.clouds.aws.build.children import Children
from gpuinfra.clouds.aws.images import ACCEPTED, PublicImage, image_fault, public_image
from gpuinfra.clouds.building.pinned import pinned_image
from gpuinfra.errors import InputError, Problem
from gpuinfra.model import Machine, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image, and the device name of its root disk, which an encrypted disk has to match."""

    id: pulumi.Input[str]
    root_device: pulumi.Input[str]


def find_image(
    children: Children,
    wish: str | None,
    purpose: Purpose,
    machine: Machine,
    locked: str | None = None,
) -> Image:
    """Find the image: an `ami-` id or an SSM parameter that the caller names, else the public one.

    `locked` is what a lock froze the parameter at; then nothing is asked for it. Else what the
    parameter names is asked once, and kept until the user renews images.

    Raises:
        InputError: the wish is neither, or no public image serves the machine.
    """
    if wish is None:
        found = _public(children.order.name, purpose, machine)
        return Image(
            id=locked or _pinned(children, found.parameter), root_device=found.root_device
        )
    if image_fault(wish):
        raise InputError([_not_taken(children.order.name, wish)])
    if wish.startswith("ami-"):
        return Image(id=wish, root_device=_root_device(children, wish))
    kept = locked or _pinned(children, wish)
    return Image(id=kept, root_device=_root_device(children, kept))


def _not_taken(name: str, wish: str) -> Problem:
    return Problem(
        message=f"{name}: {wish!r} {image_fault(wish)}",
        path=(name, "machine_image"),
        value=wish,
        allowed=ACCEPTED,
    )


def _public(name: str, purpose: Purpose, machine: Machine) -> PublicImage:
    """The public image; planning has refused machines that none serves."""
    found = public_image(purpose, machine)
    if found is not None:
        return found
    problem = Problem(
        message=f"{name}: no public image is known for {machine.type}",
        path=(name, "machine_image"),
        allowed="an image of your own",
        fix="name one with machine_image: ami-…",
    )
    raise InputError([problem])


def _pinned(children: Children, parameter: str) -> pulumi.Output[str]:
    """What a parameter names now, kept in the state from the first update on."""
    region = children.order.region
    found = aws.ssm.get_parameter_output(name=parameter, region=region, opts=children.invoke())
    return pinned_image(children, (region, parameter), found.insecure_value)


def _root_device(children: Children, image_id: pulumi.Input[str]) -> pulumi.Output[str]:
    """The name that an image gives its root disk."""
    wanted = pulumi.Output.from_input(image_id).apply(
        lambda known: [aws.ec2.GetAmiFilterArgs(name="image-id", values=[known])]
    )
    found = aws.ec2.get_ami_output(
        filters=wanted,
        region=children.order.region,
        opts=children.invoke(),
    )
    device: pulumi.Output[str] = found.root_device_name
    return device
