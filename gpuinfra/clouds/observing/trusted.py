"""Resources that stand for what is outside of the stack and trusted: all else of it is hidden."""

from typing import Final

from gpuinfra.model import Resource

STAND_IN: Final = "urn:pulumi:trusted::trusted::"
"""How the URN of each begins."""

FILLED: Final = "trusted:"
"""How a name begins that stands for a reference which is not known yet."""


def stands_in(resource: Resource) -> bool:
    """Whether a resource stands for a trusted one: its inputs are not those that the other has."""
    return resource.urn.startswith(STAND_IN)


def is_filled(name: str) -> bool:
    """Whether a name stands where the program's own is not known yet."""
    return name.startswith(FILLED)


def written_as(resource: Resource) -> str:
    """The name by which the program refers to a trusted resource; empty where it is hidden."""
    return resource.name if stands_in(resource) and not is_filled(resource.name) else ""
