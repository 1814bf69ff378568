"""The tag keys of a group's machines, a bucket or a file system."""

from gpuinfra.clouds.observing.label_keys import Keys, resource_keys
from gpuinfra.model import Resource


def own_tag_keys(resource: Resource) -> Keys:
    """Return the keys of a resource's own tags, which a scale set's machines inherit.

    https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources
    """
    return resource_keys(resource, "tags", "tags")
