"""How a machine's image is found: by an id that stays, or a name that a cloud resolves."""

from typing import Literal

from gpuinfra.records import record

FoundBy = Literal["id", "ssm-parameter", "image-family"]
"""An image's own id (or version), a parameter of AWS, or a family of Google Cloud."""


@record
class ImageName:
    """What a machine starts from, as the caller or the table of public images names it.

    `name` is the id itself, or what the cloud answers with the newest image for.
    """

    found_by: FoundBy
    name: str

    @property
    def id(self) -> str | None:
        """The image's id, where no cloud has to be asked for it."""
        return self.name if self.found_by == "id" else None
