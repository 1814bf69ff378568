"""A disk that stands by itself, attached or not, as a row."""

from gpuinfra.model import Disk, Known, Resource


def standing(cloud: str, resource: Resource, encrypted: Known) -> tuple[Disk, ...]:
    """Return the row of a disk that is a resource of its own."""
    return (Disk(name=resource.name, subject=resource.urn, cloud=cloud, encrypted=encrypted),)
