"""Registries and galleries whose images everyone may copy."""

from dataclasses import replace
from typing import Final

from gpuinfra.clouds.observing.created_keys import lasting_key
from gpuinfra.clouds.observing.grants import GrantFault, grant_rows
from gpuinfra.clouds.observing.values import at, equals, flag
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown

_PULLS: Final = "lets everyone pull every image of a registry"
_COPIES: Final = "lets everyone make machines from its images, and so copy their disks"
_EVERYONE: Final = "Community"


def gallery_rows(resource: Resource) -> Rows:
    """Return the grant of a gallery that every user of Azure sees.

    https://learn.microsoft.com/rest/api/compute/galleries/create-or-update (Community),
    https://learn.microsoft.com/azure/virtual-machines/share-gallery-community (not re-read:
    unverified)
    """
    permissions = at(resource.inputs.get("sharingProfile"), "permissions")
    shared = equals(
        permissions.capitalize() if isinstance(permissions, str) else permissions, _EVERYONE
    )
    if shared is False:
        return Rows()
    return grant_rows("azure", resource, (UNKNOWN if shared is UNKNOWN else _COPIES,))


def registry_rows(resource: Resource) -> Rows:
    """Return a registry's anonymous pulls, if allowed, and its administrator's password.

    https://learn.microsoft.com/azure/container-registry/anonymous-pull-access
    https://learn.microsoft.com/azure/container-registry/container-registry-authentication
    """
    anyone = flag(resource.inputs.get("anonymousPullEnabled"))
    fault: GrantFault = UNKNOWN if isinstance(anyone, Unknown) else _PULLS
    rows = grant_rows("azure", resource, (fault,)) if anyone in {True, UNKNOWN} else Rows()
    if flag(resource.inputs.get("adminUserEnabled")) is not True:
        return rows
    return replace(
        rows,
        credentials=(
            lasting_key("azure", resource, "the administrator's password of a registry"),
        ),
    )
