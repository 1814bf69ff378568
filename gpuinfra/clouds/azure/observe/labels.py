"""The tag keys of a group's machines, a bucket or a file system."""

from gpuinfra.clouds.observing.labels import Keys, of_resource
from gpuinfra.model import Resource


def of_one(resource: Resource) -> Keys:
    """Return the keys of a resource's own tags, which a scale set's machines inherit.

    https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources
    """
    return of_resource(resource, "tags", "tags")
