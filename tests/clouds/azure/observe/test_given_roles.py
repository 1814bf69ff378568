"""Roles that are given in other ways than by an assignment are judged as one."""

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.azure.observe.test_directory_roles import (
    BOX,
    DIRECTORY_READERS,
    GLOBAL,
    OWNER,
    READER,
    ROLES_OF_ALL,
    SUBSCRIPTION,
    grant,
    made,
)

AUTHORIZATION = "azure-native:authorization:"
REGISTRATION = "azure-native:managedservices:RegistrationDefinition"
REGISTERED = "azure-native:managedservices:RegistrationAssignment"
ROLE = "azuread:index/directoryRoleAssignment:DirectoryRoleAssignment"
APP = "azuread:index/servicePrincipal:ServicePrincipal"
MEMBER = "azuread:index/directoryRoleMember:DirectoryRoleMember"
APP_ROLE = "azuread:index/appRoleAssignment:AppRoleAssignment"
ALL_DIRECTORY = "in the whole directory"


def faults(*resources, **settings):
    rows = observe(resources, **settings)
    assert not rows.not_judged
    (given,) = rows.grants
    return faults_of(given.faults, "wildcard-policy")


@pytest.mark.parametrize(
    "name",
    [
        *("PimRoleAssignmentSchedule", "PimRoleEligibilitySchedule"),
        *("RoleAssignmentScheduleRequest", "RoleEligibilityScheduleRequest"),
    ],
)
@pytest.mark.parametrize(
    ("role", "expected"), [(OWNER, ("grants Owner on the whole subscription",)), (READER, ())]
)
def test_a_role_for_a_time_is_judged_as_an_assignment(name, role, expected):
    inputs = {**grant(BOX, role).inputs, "scope": SUBSCRIPTION, "principalId": "someone"}
    assert faults(made(f"{AUTHORIZATION}{name}", "it", **inputs)) == expected


def test_a_machine_that_may_take_a_great_role_is_an_administrator():
    inputs = grant(BOX, OWNER).inputs
    eligible = made(
        f"{AUTHORIZATION}PimRoleEligibilitySchedule", "it", [("principalId", BOX)], **inputs
    )
    (group,) = observe([BOX, eligible]).groups
    assert group.safety.administrator is True


CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
GIVEN = [{"principalId": "p", "roleDefinitionId": CONTRIBUTOR}]


@pytest.mark.parametrize(
    ("properties", "scope", "expected"),
    [
        (
            {"authorizations": GIVEN},
            "subscriptions/1",
            ("grants Contributor on the whole subscription",),
        ),
        (
            {"eligibleAuthorizations": GIVEN},
            "/subscriptions/1",
            ("grants Contributor on the whole subscription",),
        ),
        (
            {"authorizations": [{**GIVEN[0], "roleDefinitionId": READER}]},
            "subscriptions/1",
            (),
        ),
        ({"authorizations": GIVEN}, "subscriptions/1/resourceGroups/rg", ()),
        ({"authorizations": UNKNOWN}, "subscriptions/1", UNKNOWN),
        (UNKNOWN, "subscriptions/1", UNKNOWN),
    ],
)
def test_another_tenant_s_roles_are_judged_where_they_are_assigned(properties, scope, expected):
    offer = made(REGISTRATION, "offer", scope=scope, properties=properties)
    assigned = made(
        REGISTERED,
        "assigned",
        [("properties", offer)],
        scope=scope,
        properties={"registrationDefinitionId": UNKNOWN},
    )
    assert faults(offer, assigned) == expected
    assert faults(assigned) is UNKNOWN


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (ROLE, {"roleId": GLOBAL}, (f"grants Global Administrator {ALL_DIRECTORY}",)),
        (ROLE, {"roleId": GLOBAL, "directoryScopeId": "/1"}, ()),
        (ROLE, {"roleId": DIRECTORY_READERS}, ()),
        (ROLE, {"roleId": UNKNOWN}, UNKNOWN),
        (MEMBER, {"roleObjectId": "of-one-directory"}, ()),
        (
            APP_ROLE,
            {"appRoleId": ROLES_OF_ALL},
            (f"grants RoleManagement.ReadWrite.Directory {ALL_DIRECTORY}",),
        ),
        (APP_ROLE, {"appRoleId": UNKNOWN}, ()),
    ],
)
def test_a_powerful_directory_role_is_reported_for_any_holder(token, inputs, expected):
    assert faults(made(token, "held", **inputs)) == expected


def test_a_role_of_the_directory_is_known_by_the_resource_that_activates_it():
    active = made(
        "azuread:index/directoryRole:DirectoryRole", "role", displayName="Global Administrator"
    )
    held = made(MEMBER, "held", [("roleObjectId", active)], roleObjectId=UNKNOWN)
    assert faults(active, held) == (f"grants Global Administrator {ALL_DIRECTORY}",)
