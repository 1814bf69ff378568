"""What an identity may do by its groups and roles in the directory."""

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, Resource

SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590"
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
GLOBAL = "62e90394-69f5-4237-9190-012177145e10"
DIRECTORY_READERS = "88d8e3e3-8f55-4a1e-953a-9b9898b8876b"
PARTNER = "e00e864a-17c5-4a4b-9c06-f5b95a8d5bd8"
SCHEDULES_ROLES = "dd199f4a-f148-40a4-a2ec-f0069cc799ec"
PASSES_OF_ALL = "50483e42-d915-4231-9639-7fdb7fd190e5"
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


@pytest.mark.parametrize("kind", ["Assignment", "Eligibility"])
def test_a_schedule_makes_a_member_of_a_group(kind):
    name = f"PrivilegedAccessGroup{kind}Schedule"
    schedule = made(
        f"azuread:index/{name[0].lower()}{name[1:]}:{name}",
        "schedule",
        [("groupId", GROUP), ("principalId", BOX)],
        groupId=UNKNOWN,
        principalId=UNKNOWN,
    )
    assert administrator(GROUP, schedule, grant(GROUP, OWNER)) is True
    assert administrator(GROUP, schedule, grant(GROUP, READER)) is False


def test_an_owner_of_a_group_may_join_it_and_what_it_is_in():
    owned = made("azuread:index/group:Group", "owned", [("owners", BOX)], owners=UNKNOWN)
    outer = made("azuread:index/group:Group", "outer", [("members", owned)], members=UNKNOWN)
    assert administrator(owned, grant(owned, OWNER)) is True
    assert administrator(owned, outer, grant(outer, OWNER)) is True


def test_an_owner_of_an_application_may_act_as_it():
    application = made("azuread:index/application:Application", "app")
    principal = made(
        "azuread:index/servicePrincipal:ServicePrincipal",
        "principal",
        [("clientId", application)],
        clientId=UNKNOWN,
    )
    owner = made(
        "azuread:index/applicationOwner:ApplicationOwner",
        "owner",
        [("applicationId", application), ("ownerObjectId", BOX)],
        applicationId=UNKNOWN,
        ownerObjectId=UNKNOWN,
    )
    stack = (application, principal, grant(principal, OWNER))
    assert administrator(*stack) is False
    assert administrator(*stack, owner) is True


@pytest.mark.parametrize(
    ("kind", "holder", "key"),
    [
        ("directoryRoleAssignment:DirectoryRoleAssignment", "principalObjectId", "roleId"),
        ("directoryRoleMember:DirectoryRoleMember", "memberObjectId", "roleObjectId"),
        (
            "administrativeUnitRoleMember:AdministrativeUnitRoleMember",
            "memberObjectId",
            "roleObjectId",
        ),
        (
            "directoryRoleEligibilityScheduleRequest:DirectoryRoleEligibilityScheduleRequest",
            "principalId",
            "roleDefinitionId",
        ),
    ],
)
@pytest.mark.parametrize(
    ("role", "great"),
    [
        ({"displayName": "Global administrator"}, True),
        ({"templateId": GLOBAL}, True),
        ({"displayName": "Directory Readers"}, False),
        ({"displayName": UNKNOWN}, UNKNOWN),
    ],
)
def test_a_role_of_the_stack_is_known_by_its_name(kind, holder, key, role, great):
    own = made("azuread:index/directoryRole:DirectoryRole", "role", **{"templateId": None, **role})
    held = made(
        f"azuread:index/{kind}",
        "held",
        [(holder, BOX), (key, own)],
        **{holder: UNKNOWN, key: UNKNOWN},
    )
    assert administrator(own, held) is great


def test_an_id_of_a_role_in_one_directory_says_nothing_of_it():
    held = made(
        "azuread:index/directoryRoleMember:DirectoryRoleMember",
        "held",
        [("memberObjectId", BOX)],
        memberObjectId=UNKNOWN,
        roleObjectId=READER,
    )
    assert administrator(held) is UNKNOWN


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
        ("appRoleAssignment:AppRoleAssignment", "appRoleId", SCHEDULES_ROLES, True),
        ("appRoleAssignment:AppRoleAssignment", "appRoleId", PASSES_OF_ALL, True),
        ("directoryRoleAssignment:DirectoryRoleAssignment", "roleId", PARTNER, True),
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
