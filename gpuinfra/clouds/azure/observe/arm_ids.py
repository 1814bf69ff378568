"""Resource ids of Azure Resource Manager, parsed to find the resources that they name."""

import re
from typing import Any, Final

from gpuinfra.model import UNKNOWN, Known, Unknown
from gpuinfra.records import record

_ARM_ID: Final = re.compile(
    r"(?:/subscriptions/(?P<subscription>[^/]+)(?:/resourcegroups/(?P<group>[^/]+))?)?(?:/providers/(?P<rest>.+))?"
)
"""https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-resource#resourceid
"""

_MANAGEMENT_GROUPS: Final = "managementgroups"


@record(kw_only=False)
class ArmId:
    """A parsed id, in lower case, since Azure ignores case in ids and names.

    Attributes:
        group: the resource group; None above resource groups.
        kind: the last part of the resource's type, for example subnets; empty for what has none.
        names: the resource group's name, or the names of the resource and of what holds it.
        wide: whether it is a resource group or wider: a subscription, a management group.
        subscription: that it is in; None where the id does not say it.
    """

    group: str | None
    kind: str
    names: tuple[str, ...]
    wide: bool
    subscription: str | None = None


def parse_arm_id(text: str) -> ArmId | None:
    """Return the parts of a resource id; None for other text, for example a name."""
    match = _ARM_ID.fullmatch(text.rstrip("/").lower()) if text.startswith("/") else None
    if match is None:
        return None
    group, path_rest, subscription = match["group"], match["rest"], match["subscription"]
    if path_rest is None:
        return ArmId(group, "", (group,) if group else (), wide=True, subscription=subscription)
    parts = path_rest.rpartition("/providers/")[2].split("/")
    types = parts[1::2]
    kind = types[-1] if types else ""
    is_management_group = _MANAGEMENT_GROUPS in types
    return ArmId(
        group, kind, tuple(parts[2::2]), wide=is_management_group, subscription=subscription
    )


def parent_id(text: str) -> str:
    """Return the id of a resource's parent: of the network, for a subnet."""
    return "/".join(text.rstrip("/").split("/")[:-2])


def last_part(text: str) -> str:
    """Return the last part of an id, or a name as it is, in lower case."""
    return text.rstrip("/").rpartition("/")[2].lower()


def is_called(reference: Any, name: Any) -> Known:
    """Return whether an id ends with a part's name, in any case, as parts refer to each other."""
    if isinstance(reference, Unknown) or isinstance(name, Unknown):
        return UNKNOWN
    are_texts = isinstance(reference, str) and isinstance(name, str)
    return are_texts and last_part(reference) == name.lower()
