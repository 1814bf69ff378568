"""Where a default of an account holds: in its region, for what is made after it."""

from gpuinfra.clouds.aws.observe import places
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.index import is_of_account
from gpuinfra.model import Known, Resource


def holds(default: Resource, key: str, resource: Resource, index: Index) -> Known:
    """Say whether a default of an account was in force when a resource was, or will be, made.

    It changes nothing that stands already:
    https://docs.aws.amazon.com/ebs/latest/userguide/encryption-by-default.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html

    Args:
        default: the setting, by region and account.
        key: its input.
        resource: machines or a volume.
        index: all resources.
    """
    near = places.same_region(default, resource, index)
    if near is not True:
        return near
    if _stands(resource) and (not _stands(default) or _changes(default, key)):
        return False
    return is_of_account(default, resource)


def _stands(resource: Resource) -> bool:
    return isinstance(resource.outputs.get("id"), str)


def _changes(default: Resource, key: str) -> bool:
    return default.before is not None and default.before.get(key) != default.inputs.get(key)
