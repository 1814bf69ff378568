"""How a role is narrowed that may start machines."""

from typing import Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import FixableFault
from gpuinfra.model import Resource

_OF_MANAGED: Final = "all that "
_OF_OTHER: Final = " as "


def start_fault(role: Resource, allowed: str, message: str) -> FixableFault:
    """Return the fault of a role that may start machines, with the fix that narrows it.

    `allowed` is what `starts` says: an action, or a policy of AWS, and the role that holds it.
    """
    right, _, other = allowed.partition(_OF_OTHER)
    name = other.partition(_OF_OTHER)[0] or role.name
    if right.startswith(_OF_MANAGED):
        policy = right.removeprefix(_OF_MANAGED).partition(" ")[0]
        fix = f"detach {policy} from the role {name}, and allow only the actions that it needs"
        return FixableFault(message, fix)
    fix = f"remove {right} from the policies of the role {name}"
    types = TABLES.table("may_start")["judged_at"].get(right, "").split()
    kinds = " or ".join(f"an {kind}" for kind in types)
    within = f", or name only the ARN of {kinds} of this stack in its Resource" if kinds else ""
    return FixableFault(message, f"{fix}{within}")
