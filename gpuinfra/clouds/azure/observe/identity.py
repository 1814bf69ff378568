"""What a machine's identity may do, as far as the stack's own role assignments show."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from gpuinfra.clouds.azure.observe import arm, directory, kinds
from gpuinfra.clouds.azure.observe.index import Index
from gpuinfra.clouds.azure.roles import is_administrators
from gpuinfra.clouds.observing.names import NONE_CALLED
from gpuinfra.clouds.observing.values import all_of, any_of, at, listed, opposite, text
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_CHANGES: Final = tuple(
    f"{NONE_CALLED}/{NONE_CALLED}/{act}" for act in ("write", "delete", "action")
)
"""Changes in every service. An action's `*` takes any characters:
https://learn.microsoft.com/azure/role-based-access-control/role-definitions#actions-format"""
_OF_ROLES: Final = (
    "microsoft.authorization/roleassignments/write",
    "microsoft.authorization/roledefinitions/write",
    "microsoft.authorization/roleassignmentschedulerequests/write",
    "microsoft.authorization/roleeligibilityschedulerequests/write",
    "microsoft.authorization/elevateaccess/action",
    "microsoft.managedidentity/userassignedidentities/federatedidentitycredentials/write",
)
"""Actions that let a machine give itself any role, or sign in as any identity of its scope:
https://learn.microsoft.com/azure/role-based-access-control/permissions/identity"""
_ASSIGNS: Final = ("microsoft.managedidentity/userassignedidentities/assign/action",)
_HOSTS: Final = (
    "microsoft.compute/virtualmachines/write",
    "microsoft.compute/virtualmachinescalesets/write",
    "microsoft.containerinstance/containergroups/write",
    "microsoft.web/sites/write",
    "microsoft.app/containerapps/write",
    "microsoft.automation/automationaccounts/write",
    "microsoft.logic/workflows/write",
    "microsoft.resources/deploymentscripts/write",
)
"""Actions that make what runs as an identity, where the caller may assign it (same page)."""
GRANTING_KEYS: Final = (
    ("actions", "notActions", (*_CHANGES, *_OF_ROLES)),
    ("dataActions", "notDataActions", _CHANGES),
)
"""The keys that give, those that take back, and the actions of which a narrow role has none."""
RUNNING: Final = (
    "microsoft.compute/virtualmachines/runcommand/action",
    "microsoft.compute/virtualmachines/runcommands/write",
    "microsoft.compute/virtualmachines/extensions/write",
    "microsoft.compute/virtualmachinescalesets/virtualmachines/runcommand/action",
    "microsoft.compute/virtualmachinescalesets/virtualmachines/runcommands/write",
    "microsoft.compute/virtualmachinescalesets/extensions/write",
)
"""Actions that run what the caller chooses on a machine, as its administrator and identity:
https://learn.microsoft.com/azure/virtual-machines/run-command-overview
https://learn.microsoft.com/azure/virtual-machines/extensions/overview"""
_KUBELET: Final = "kubeletidentity"
_RELAYED: Final = "azure-native:resources:"
"""Deployments and scripts stand in a resource group, and their outputs may name any scope."""
STARTING: Final = (
    "microsoft.compute/virtualmachines/write",
    "microsoft.compute/virtualmachinescalesets/write",
    "microsoft.compute/virtualmachinescalesets/virtualmachines/write",
    "microsoft.containerservice/managedclusters/write",
    "microsoft.containerservice/managedclusters/agentpools/write",
    "microsoft.machinelearningservices/workspaces/computes/write",
    "microsoft.batch/batchaccounts/pools/write",
    "microsoft.resources/deployments/write",
)
"""Actions that make machines or let them grow, a template of anything among them; stopped ones
count as running in the stack that has them, so to start them is none:
https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations"""
_OF_DATA: Final = ("dataActions", "notDataActions")
LOGGING_IN: Final = (
    "microsoft.compute/virtualmachines/login/action",
    "microsoft.compute/virtualmachines/loginasadmin/action",
)
READING: Final = ("microsoft.keyvault/vaults/secrets/getsecret/action",)
"""Actions on data that log in to machines, and that read secrets:
https://learn.microsoft.com/azure/role-based-access-control/permissions/compute
https://learn.microsoft.com/azure/role-based-access-control/permissions/security"""


def is_administrator(resource: Resource, index: Index) -> Known:
    """Say whether the identity of machines may do everything in a resource group, or more."""
    return any_of(
        _holds(principal, index) if isinstance(principal, Resource) else principal
        for principal in principals(resource, index)
    )


def is_node_administrator(cluster: Resource, index: Index) -> Known:
    """Say whether the identity of a cluster's nodes may do everything, which their pods have too.

    It is the kubelet's: one that the cluster names, or one that Azure makes, to which roles are
    given by what the cluster returns; so are they to its control plane, and before the cluster is
    there the two can't be told apart.
    https://learn.microsoft.com/azure/aks/use-managed-identity
    """
    profile = cluster.inputs.get("identityProfile")
    named = at(profile, _KUBELET, "resourceId")
    if isinstance(profile, Unknown):
        return UNKNOWN
    if named is not None:
        goals = index.targets(cluster, "identityProfile", kinds.IDENTITY, [named])
        known = any_of(_holds(identity, index) for identity in goals.certain)
        return known if goals.exact or known is True else UNKNOWN
    grants, _ = index.grants(cluster)
    return any_of(
        all_of((_is_to_nodes(grant, cluster), _great(grant, index), _wide(grant, index)))
        for grant in grants
    )


def _is_to_nodes(grant: Resource, cluster: Resource) -> Known:
    holder = grant.inputs.get("principalId")
    nodes = at(cluster.outputs.get("identityProfile"), _KUBELET, "objectId")
    if isinstance(holder, str) and isinstance(nodes, str):
        return holder.lower() == nodes.lower()
    control = at(cluster.outputs.get("identity"), "principalId")
    return False if isinstance(holder, str) and holder == control else UNKNOWN


def principals(resource: Resource, index: Index) -> tuple[Resource | Unknown, ...]:
    """Return the identities of the machines; UNKNOWN for one that is not visible."""
    identity = resource.inputs.get("identity")
    kind = at(identity, "type")
    words = kind.lower() if isinstance(kind, str) else ""
    resources: list[Resource | Unknown] = []
    if isinstance(kind, Unknown) or "systemassigned" in words:
        resources.append(resource)
    named = at(identity, "userAssignedIdentities")
    names = list(named) if isinstance(named, Mapping) else named
    if names is not None and words != "none":
        goals = index.targets(resource, "identity", kinds.IDENTITY, names)
        resources += goals.certain
        resources += () if goals.exact else (UNKNOWN,)
    return tuple(resources)


def _holds(principal: Resource, index: Index) -> Known:
    """Whether an identity holds a great role, by itself, by its groups or in the directory."""
    holders = (principal, *directory.groups_of(principal, index))
    every = [index.grants(holder) for holder in holders]
    holds = any_of(
        all_of((_great(grant, index), _wide(grant, index)))
        for grants, _ in every
        for grant in grants
    )
    holds = any_of((holds, *(directory.may_take_any_role(holder, index) for holder in holders)))
    return holds if holds is True or all(complete for _, complete in every) else UNKNOWN


def _great(grant: Resource, index: Index) -> Known:
    """Whether the role is that of an administrator: a built-in one, or one of this stack.

    What a role defined elsewhere allows is not known.
    """
    role = grant.inputs.get("roleDefinitionId")
    built_in = is_administrators(arm.last_part(role)) if isinstance(role, str) else UNKNOWN
    if built_in is not UNKNOWN:
        return built_in
    own = index.targets(grant, "roleDefinitionId", kinds.ROLE)
    if own.certain or own.possible:
        return own.some(lambda resource: gives_everything(resource.inputs.get("permissions")))
    return UNKNOWN


def gives_everything(permissions: Any) -> Known:
    """Say whether permissions change everything, all data, or who one is and the roles one has."""
    given, spared, _ = GRANTING_KEYS[0]
    becomes = (
        any_of(_gives(each, given, spared, actions) for each in listed(permissions))
        for actions in (_ASSIGNS, _HOSTS)
    )
    gives = (_gives(each, *granting) for each in listed(permissions) for granting in GRANTING_KEYS)
    return any_of((*gives, all_of(becomes)))


def runs_commands(permissions: Any) -> Known:
    """Say whether permissions let one run commands on machines."""
    return any_of(_gives(each, *GRANTING_KEYS[0][:2], RUNNING) for each in listed(permissions))


def starts_machines(permissions: Any) -> Known:
    """Say whether permissions let one make, start or enlarge what machines run in."""
    return any_of(_gives(each, *GRANTING_KEYS[0][:2], STARTING) for each in listed(permissions))


def logs_in(permissions: Any) -> Known:
    """Say whether permissions let one log in to machines."""
    return any_of(_gives(each, *_OF_DATA, LOGGING_IN) for each in listed(permissions))


def reads_secrets(permissions: Any) -> Known:
    """Say whether permissions let one read secrets in key vaults."""
    return any_of(_gives(each, *_OF_DATA, READING) for each in listed(permissions))


def _gives(permission: Any, given: str, spared: str, actions: Iterable[str]) -> Known:
    return any_of(
        all_of((_takes(permission, given, action), opposite(_takes(permission, spared, action))))
        for action in actions
    )


def _takes(permission: Any, key: str, action: str) -> Known:
    """Whether one of a permission's patterns is about an action."""
    return any_of(
        fnmatchcase(action, _literal(pattern)) if isinstance(pattern, str) else UNKNOWN
        for pattern in listed(at(permission, key))
    )


def _literal(pattern: str) -> str:
    """A pattern in which only `*` stands for others, as Azure reads it."""
    return pattern.lower().replace("[", "[[]").replace("?", "[?]")


def _wide(grant: Resource, index: Index) -> Known:
    """Whether it is given for a resource group or more, and not for a single resource."""
    scope = text(grant.inputs.get("scope"))
    if isinstance(scope, str):
        read = arm.parsed(scope)
        return UNKNOWN if read is None else read.wide
    sources = index.related(grant, "scope")
    return False if sources and all(map(stands_in_group, sources)) else UNKNOWN


def stands_in_group(resource: Resource) -> bool:
    """Whether it is a part of a resource group, so that a role on it reaches no other part."""
    kind = kinds.canonical(resource.type)
    inside = "resourceGroupName" in resource.inputs and not kind.startswith(_RELAYED)
    return kind.startswith("azure-native:") and inside
