"""The reference to a machine's image: a fixed id, or a name that the cloud resolves."""

from typing import Final, Literal

from gpuinfra.graph import Lookup, Ref, ResourceGraph, expressions
from gpuinfra.records import record

FoundBy = Literal["id", "ssm-parameter", "image-family"]
"""An image's own id (or version), a parameter of AWS, or a family of Google Cloud."""

PARAMETER: Final = "resolve:ssm:"
"""How a launch template of AWS names a parameter that holds an image:
https://docs.aws.amazon.com/autoscaling/ec2/userguide/using-systems-manager-parameters.html"""

_LOOKUP_FORMS: Final[dict[str, tuple[FoundBy, str]]] = {
    "aws:ssm/getParameter:getParameter": ("ssm-parameter", "{name}"),
    "gcp:compute/getImage:getImage": (
        "image-family",
        "projects/{project}/global/images/family/{family}",
    ),
}
"""The parts of an image name, by the function that looks the image up."""


@record
class ImageName:
    """The image of a machine, as the caller or the table of public images names it.

    `name` is the id itself, or what the cloud answers with the newest image for.
    """

    found_by: FoundBy
    name: str

    @property
    def id(self) -> str | None:
        """The image's id, where no cloud has to be asked for it."""
        return self.name if self.found_by == "id" else None


def declared_image(graph: ResourceGraph, workload: str) -> ImageName:
    """Return the image that the machines of a declared workload, named by its key, start from."""
    image = graph.outputs[workload].image_id
    for pin in expressions(image):
        if isinstance(pin, Ref):  # pinned in the state
            image = graph.resources[pin.key].inputs["input"]
    for lookup in expressions(image):
        if isinstance(lookup, Lookup):
            found_by, form = _LOOKUP_FORMS[lookup.token]
            return ImageName(found_by=found_by, name=form.format_map(lookup.arguments))
    return ImageName(found_by="id", name=image)


def shown_image(text: str) -> ImageName:
    """Return the image that a resource names, by its id or by a parameter."""
    if text.startswith(PARAMETER):
        return ImageName(found_by="ssm-parameter", name=text.removeprefix(PARAMETER))
    return ImageName(found_by="id", name=text)
