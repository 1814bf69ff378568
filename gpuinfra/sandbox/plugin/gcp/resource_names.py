"""The names of Google Cloud resources: ids, self links, partial paths, bare names."""

import re
from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.schema import ResourceType

PROJECT_NUMBER = "123456789012"  # the one of every project in the sandbox
COMPUTE = "https://www.googleapis.com/compute/v1/"
_PREFIX = re.compile(r"(?:https://[\w.-]+/(?:[\w-]+/v\d\w*/|v\d\w*/)?|//[\w.-]+/)")
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_SNAKE_PART = re.compile(r"_(\w)")
_PLACES = ("zone", "region", "location")


def relative(text: str) -> str:
    """Return a URL's path from `projects/` on; other texts unchanged."""
    path = text.partition("?")[0]
    return _PREFIX.sub("", path, count=1) if path.startswith(("https://", "//")) else path


def last_segment(text: str) -> str:
    """Return the name at the end of a path."""
    return text.rsplit("/", 1)[-1]


def full_path(text: str, collection: str, project: str, place: str) -> str:
    """Return the full path of a reference.

    Args:
        text: a self link, an id, a partial path (`global/networks/n`), or a bare name.
        collection: for example `networks`.
        project: of the resource that refers.
        place: `global`, `regions/<region>` or `zones/<zone>`, for a bare name.
    """
    path = relative(text)
    if path.startswith("projects/"):
        return path
    if "/" in path:
        return f"projects/{project}/{path}"
    return f"projects/{project}/{place}/{collection}/{path}"


def slots(resource_type: ResourceType) -> tuple[str, ...]:
    """Return the inputs that make up a type's id, in order."""
    return tuple(_camel(name) for name in _SLOT.findall(resource_type.id_form))


def id_form(resource_type: ResourceType, opening: str = "<", closing: str = ">") -> str:
    """Return a type's id form with other brackets and with Pulumi's input names."""
    return _SLOT.sub(
        lambda slot: f"{opening}{_camel(slot.group(1))}{closing}", resource_type.id_form
    )


def place_key(resource_type: ResourceType) -> str:
    """Return the input of a type's zone, region or location; empty for global types."""
    names = slots(resource_type)
    if "filestore" in resource_type.token:
        return "location"
    return next((key for key in _PLACES if key in names), "")


def with_short_names(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs with links to zones, regions and other resources cut to names."""
    return {
        key: last_segment(value) if isinstance(value, str) and key in _NAME_INPUTS else value
        for key, value in inputs.items()
    }


_NAME_INPUTS = frozenset({"zone", "region", "router", "instanceGroupManager", "cluster"})


def _camel(name: str) -> str:
    return _SNAKE_PART.sub(lambda match: match.group(1).upper(), name)
