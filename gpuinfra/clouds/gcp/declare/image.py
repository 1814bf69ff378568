"""The image that machines start from: the caller's, or the public one, pinned in the state."""

from typing import Any, Final

from gpuinfra.clouds.declaring import images
from gpuinfra.clouds.declaring.pinned_values import pinned_image
from gpuinfra.clouds.gcp.declare.children import Children
from gpuinfra.clouds.gcp.images import FAMILY, IMAGE, IMAGE_FORMS, image_fault, public_image
from gpuinfra.graph import Expression, Lookup
from gpuinfra.model import Machine, Purpose
from gpuinfra.records import record

EXAMPLE: Final = "projects/my-project/global/images/my-image"


@record
class DeclaredImage:
    """An image, and whether secure boot accepts its drivers."""

    id: Any
    secure_boot: bool


def find_image(
    children: Children,
    machine_image: Any,
    purpose: Purpose,
    machine: Machine,
    *,
    locked_id: str | None = None,
    renewed: str = "",
) -> DeclaredImage:
    """Return the image: one or a family that the caller names, else the public one.

    An output of the caller's is an image.

    `locked_id` is what a lock froze the family at; then nothing is asked for it. `renewed` is when
    images were last renewed by hand.

    It is not known whether the drivers of a caller's image are signed, so it boots without the
    check.

    Raises:
        InputError: the value is neither, or there is no public image for the machine.
    """
    name = children.spec.name
    if machine_image is None:
        public = images.require_image(public_image(purpose, machine), name, machine.type, EXAMPLE)
        return DeclaredImage(
            id=locked_id or _newest(children, public.project, public.family, renewed),
            secure_boot=public.secure_boot,
        )
    if isinstance(machine_image, Expression) or IMAGE.fullmatch(machine_image):
        return DeclaredImage(id=machine_image, secure_boot=False)
    if match := FAMILY.fullmatch(machine_image):
        newest = locked_id or _newest(children, match["project"], match["family"], renewed)
        return DeclaredImage(id=newest, secure_boot=False)
    raise images.image_error(name, machine_image, image_fault(machine_image), IMAGE_FORMS)


def _newest(children: Children, project: str, family: str, renewed: str) -> Any:
    """Return the newest image of a family, kept in the state from the first update on."""
    arguments = {"project": project, "family": family}
    newest = Lookup("gcp:compute/getImage:getImage", arguments, "selfLink")
    return pinned_image(children, (project, family), newest, renewed)
