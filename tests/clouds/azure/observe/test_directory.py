"""What an identity may do by its groups and roles in the directory."""

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Resource

SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590"
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
GLOBAL = "62e90394-69f5-4237-9190-012177145e10"
DIRECTORY_READERS = "88d8e3e3-8f55-4a1e-953a-9b9898b8876b"
ROLES_OF_ALL = "9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8"
MACHINE = "azure-native:compute:VirtualMachine"


def made(token, name, comes_from=(), **inputs):
    return Resource(
        urn=f"urn:pulumi:dev::shop::{token}::{name}",
        type=token,
        name=name,
        inputs=inputs,
        relations={prop: (source.urn,) for prop, source in comes_from},
    )


BOX = made(
    MACHINE,
    "box",
    hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
    identity={"type": "SystemAssigned"},
)
GROUP = made("azuread:index/group:Group", "people")


def grant(holder, role):
    return made(
        "azure-native:authorization:RoleAssignment",
        "grant",
        [("principalId", holder)],
        principalId=UNKNOWN,
        roleDefinitionId=f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{role}",
        scope=f"{SUBSCRIPTION}/resourceGroups/rg",
    )


def administrator(*resources):
    (group,) = observe([BOX, *resources]).groups
    return group.safety.administrator


@pytest.mark.parametrize(("role", "great"), [(OWNER, True), (READER, False)])
@pytest.mark.parametrize("by", ["member", "list"])
def test_a_member_of_a_group_has_its_roles(role, great, by):
    member = made(
        "azuread:index/groupMember:GroupMember",
        "member",
        [("groupObjectId", GROUP), ("memberObjectId", BOX)],
        groupObjectId=UNKNOWN,
        memberObjectId=UNKNOWN,
    )
    listing = made("azuread:index/group:Group", "people", [("members", BOX)], members=UNKNOWN)
    resources = [GROUP, member] if by == "member" else [listing]
    assert administrator(*resources, grant(GROUP, role)) is great


def test_a_group_of_others_gives_it_nothing():
    assert administrator(GROUP, grant(GROUP, OWNER)) is False


@pytest.mark.parametrize(
    ("kind", "key", "role", "great"),
    [
        ("directoryRoleAssignment:DirectoryRoleAssignment", "roleId", GLOBAL, True),
        ("directoryRoleAssignment:DirectoryRoleAssignment", "roleId", DIRECTORY_READERS, False),
        ("directoryRoleAssignment:DirectoryRoleAssignment", "roleId", UNKNOWN, UNKNOWN),
        ("appRoleAssignment:AppRoleAssignment", "appRoleId", ROLES_OF_ALL, True),
        ("appRoleAssignment:AppRoleAssignment", "appRoleId", READER, False),
    ],
)
def test_a_role_of_the_directory_may_take_any_other(kind, key, role, great):
    held = made(
        f"azuread:index/{kind}",
        "held",
        [("principalObjectId", BOX)],
        principalObjectId=UNKNOWN,
        **{key: role},
    )
    assert administrator(held) is great


@pytest.mark.parametrize(
    ("actions", "great"),
    [
        (["Microsoft.Authorization/elevateAccess/action"], True),
        (["Microsoft.ManagedIdentity/userAssignedIdentities/*"], True),
        (["Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"], False),
        (
            [
                "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
                "Microsoft.Compute/virtualMachines/write",
            ],
            True,
        ),
        (["Microsoft.Compute/virtualMachines/write"], False),
    ],
)
def test_a_role_that_may_become_any_identity_is_great(actions, great):
    own = made(
        "azure-native:authorization:RoleDefinition", "own", permissions=[{"actions": actions}]
    )
    holds = made(
        "azure-native:authorization:RoleAssignment",
        "grant",
        [("principalId", BOX), ("roleDefinitionId", own)],
        principalId=UNKNOWN,
        roleDefinitionId=UNKNOWN,
        scope=SUBSCRIPTION,
    )
    assert administrator(own, holds) is great


def test_a_role_on_one_resource_of_a_group_is_narrow():
    vault = made("azure-native:keyvault:Vault", "vault", resourceGroupName="rg")
    holds = made(
        "azure-native:authorization:RoleAssignment",
        "grant",
        [("principalId", BOX), ("scope", vault)],
        principalId=UNKNOWN,
        roleDefinitionId=f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{OWNER}",
        scope=UNKNOWN,
    )
    assert administrator(vault, holds) is False
