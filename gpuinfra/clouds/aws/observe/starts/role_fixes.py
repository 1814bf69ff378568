"""What is wrong with a role that may start machines, and how it is narrowed."""

from collections.abc import Sequence
from typing import Final

from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import FixableFault

_UNDECLARED_MACHINES: Final = "which starts machines that are not declared here"


def start_fault(holders: str, means: str, right: str, roles: Sequence[str]) -> FixableFault:
    """Return the fault of holders that may start machines by a role, with the fix for the role.

    Args:
        holders: who has the role.
        means: how they use it.
        right: an action, or the name of a policy of AWS.
        roles: by name: the one that has the right, and those that become it, up to the holders'.
    """
    is_action = ":" in right
    *assumed, _ = roles
    path = "".join(f" as {name}" for name in assumed)
    allowed = right if is_action else f"all that {right} allows"
    fix = _fix_of_action(right, roles[0]) if is_action else _fix_of_policy(right, roles[0])
    return FixableFault(f"{holders} may do {allowed}{path}{means}, {_UNDECLARED_MACHINES}", fix)


def _fix_of_policy(policy: str, role: str) -> str:
    return f"detach {policy} from the role {role}, and allow only the actions that it needs"


def _fix_of_action(action: str, role: str) -> str:
    fix = f"remove {action} from the policies of the role {role}"
    types = TABLES.table("may_start")["judged_at"].get(action, "").split()
    kinds = " or ".join(f"an {kind}" for kind in types)
    within = f", or name only the ARN of {kinds} of this stack in its Resource" if kinds else ""
    return f"{fix}{within}"
