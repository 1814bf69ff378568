"""Placeholder resources for trusted ones outside the stack, whose other inputs are hidden."""

from typing import Final

from gpuinfra.model import Resource

PLACEHOLDER_URN_PREFIX: Final = "urn:pulumi:trusted::trusted::"
"""The URN prefix of each placeholder."""

PLACEHOLDER_NAME_PREFIX: Final = "trusted:"
"""The name prefix of a placeholder for an unknown reference."""


def stands_in(resource: Resource) -> bool:
    """Return whether a resource is a placeholder for a trusted one, without its inputs."""
    return resource.urn.startswith(PLACEHOLDER_URN_PREFIX)


def is_filled(name: str) -> bool:
    """Return whether a name is a placeholder for one that is not known yet."""
    return name.startswith(PLACEHOLDER_NAME_PREFIX)


def written_as(resource: Resource) -> str:
    """Return the program's name of a trusted resource; empty where it is hidden."""
    return resource.name if stands_in(resource) and not is_filled(resource.name) else ""
