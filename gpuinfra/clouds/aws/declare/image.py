"""The image that machines start from: the caller's, or the public one, pinned in the state."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.clouds.aws.declare.children import Children
from gpuinfra.clouds.aws.images import IMAGE_FORMS, image_fault, public_image
from gpuinfra.clouds.declaring import images
from gpuinfra.clouds.declaring.pinned_values import pinned_image
from gpuinfra.clouds.image_name import PARAMETER
from gpuinfra.graph import Expression, Lookup, compute
from gpuinfra.model import Machine, Purpose
from gpuinfra.records import record


@record
class DeclaredImage:
    """An image and the device name of its root disk, which an encrypted disk has to match."""

    id: Any
    root_device: Any


def find_image(
    children: Children,
    machine_image: Any,
    purpose: Purpose,
    machine: Machine,
    locked_id: str | None = None,
    *,
    renewed: str = "",
) -> DeclaredImage:
    """Return the image: an `ami-` id or an SSM parameter of the caller's, else the public one.

    An output of the caller's is the id of an image.

    `locked_id` is what a lock froze the parameter at; then nothing is asked for it. Else what the
    parameter names is asked once, and kept until the user renews images, which `renewed` tells.

    Raises:
        InputError: the value is neither, or no public image serves the machine.
    """
    if machine_image is None:
        public = images.require_image(
            public_image(purpose, machine), children.spec.name, machine.type, "ami-…"
        )
        pinned_id = locked_id or _pin_image(children, public.parameter, renewed)
        return DeclaredImage(id=pinned_id, root_device=public.root_device)
    if isinstance(machine_image, Expression):
        return DeclaredImage(id=machine_image, root_device=_root_device(children, machine_image))
    if fault := image_fault(machine_image):
        raise images.image_error(children.spec.name, machine_image, fault, IMAGE_FORMS)
    is_image_id = machine_image.startswith("ami-")
    image = (
        machine_image if is_image_id else locked_id or _pin_image(children, machine_image, renewed)
    )
    return DeclaredImage(id=image, root_device=_root_device(children, image))


def _pin_image(children: Children, parameter: str, renewed: str) -> Any:
    """Return the image that a parameter names at the first update, kept in the state since then.

    The parameter is kept with it, so that a reader of the state or a preview knows what is in
    the image. Stacks from before that keep the id alone.
    """
    region = children.spec.region
    lookup = Lookup(
        "aws:ssm/getParameter:getParameter",
        {"name": parameter, "region": region},
        "insecureValue",
        known_value=f"{PARAMETER}{parameter}",
    )
    value = {"id": lookup, "name": f"{PARAMETER}{parameter}"}
    return compute(image_id, pinned_image(children, (region, parameter), value, renewed))


def image_id(parameter: Any) -> Any:
    """Return the id from the state's entry of an image."""
    return parameter["id"] if isinstance(parameter, Mapping) else parameter


def _root_device(children: Children, image_id: Any) -> Lookup:
    """Return the look-up of the device name of an image's root disk."""
    filters = [{"name": "image-id", "values": [image_id]}]
    arguments = {"filters": filters, "region": children.spec.region}
    return Lookup("aws:ec2/getAmi:getAmi", arguments, "rootDeviceName")
