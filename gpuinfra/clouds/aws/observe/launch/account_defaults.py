"""The scope of an account's defaults: their region, and resources made after them."""

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.observing.values import all_of
from gpuinfra.model import UNKNOWN, Known, Resource
from gpuinfra.model.resource import is_of_account


def is_default_in_force(default: Resource, key: str, resource: Resource, index: Index) -> Known:
    """Return whether an account's default is in force when a resource is created.

    It changes no existing resource. What does not depend on one that is made, or changed,
    may be made before it, for the engine makes both at once:
    https://docs.aws.amazon.com/ebs/latest/userguide/encryption-by-default.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html

    Args:
        default: the setting, by region and account.
        key: its input.
        resource: machines or a volume.
        index: all resources.
    """
    is_same_region = locations.same_region(default, resource, index)
    if is_same_region is not True:
        return is_same_region
    is_of_this_account = is_of_account(default, resource)
    if _already_exists(default) and not _changes(default, key):
        return is_of_this_account
    if _already_exists(resource) or index.is_made_after(default, resource):
        return False
    return (
        is_of_this_account
        if index.is_made_after(resource, default)
        else all_of((is_of_this_account, UNKNOWN))
    )


def _already_exists(resource: Resource) -> bool:
    return isinstance(resource.outputs.get("id"), str) and not resource.created_in_update


def _changes(default: Resource, key: str) -> bool:
    return default.before is not None and default.before.get(key) != default.inputs.get(key)
