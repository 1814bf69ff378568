"""The waivers of a stack without a stack file, in a YAML file."""

from pathlib import Path

from pydantic import Field

from gpuinfra.specs import values as v
from gpuinfra.specs.forms import Form
from gpuinfra.specs.schema import Waivers
from gpuinfra.stackfile.files import ParsedFile, form_in


class WaiverFile(Form):
    """A file of waivers: its words are those of a stack file."""

    example = (
        "for example waivers: [{rule: open-login, resource: bastion, reason: one way in, "
        "owner: ml-platform, until: 2026-12-31}]"
    )

    version: v.Version = Field(default=1, description="1, or omitted.")
    waivers: Waivers = Field(default=(), description="Accepted findings.")


def read_waivers(path: Path) -> ParsedFile[WaiverFile]:
    """Read a waivers file.

    Raises:
        InputError: with every fault and its place.
    """
    return form_in(path, WaiverFile, f"use a waivers file; {WaiverFile.example}", lambda _: ())
