"""Identities of machines, and which of them administer the subscription."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import safety
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_cluster import cluster, role
from tests.rules.cases.azure_program import GROUP, SUBSCRIPTION
from tests.rules.cases.moments import both

CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"


READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"


@both
@pytest.mark.parametrize(
    ("which", "scope", "expected"),
    [
        (CONTRIBUTOR, SUBSCRIPTION, True),
        (CONTRIBUTOR.upper(), GROUP, True),
        ("18d7d88d-d35e-4fb5-a5c3-7773c20a72d9", GROUP, True),
        (stacks.OWNER, "/providers/Microsoft.Management/managementGroups/all", True),
        (stacks.OWNER, "/", True),
        (stacks.OWNER, f"{GROUP}/providers/Microsoft.Storage/storageAccounts/a", False),
        (READER, SUBSCRIPTION, False),
        (READER, UNKNOWN, False),
        ("7F951DDA-4ED3-4680-A7CA-43FE172D538D", SUBSCRIPTION, False),
        ("11111111-2222-3333-4444-555555555555", SUBSCRIPTION, UNKNOWN),
        (
            "11111111-2222-3333-4444-555555555555",
            f"{GROUP}/providers/Microsoft.Storage/storageAccounts/a",
            False,
        ),
        (stacks.OWNER, UNKNOWN, UNKNOWN),
        (stacks.OWNER, "everything", UNKNOWN),
    ],
)
def test_who_is_an_administrator(which, scope, expected, moment):
    case = cluster()
    case.program.change(case.grant, roleDefinitionId=role(which), scope=scope)
    assert safety(case.program, moment).administrator is expected


def test_a_role_on_a_single_resource_is_narrow_before_anything_is_known():
    case = cluster()
    case.program.change(case.grant, roleDefinitionId=UNKNOWN)
    assert safety(case.program, "preview").administrator is False


@both
def test_a_role_of_one_s_own(moment):
    case = cluster()
    own = case.program.add(
        "azure-native:authorization:RoleDefinition",
        "god",
        permissions=[{"actions": ["*"]}],
    )
    case.program.change(case.grant, roleDefinitionId=own.id, scope=SUBSCRIPTION)
    assert safety(case.program, moment).administrator is True
    case.program.change(own, permissions=[{"actions": ["Microsoft.Storage/*/read"]}])
    assert safety(case.program, moment).administrator is False


@both
def test_an_assignment_to_someone_else(moment):
    case = cluster()
    case.program.change(
        case.grant, principalId="aaaa", roleDefinitionId=role(stacks.OWNER), scope=SUBSCRIPTION
    )
    expected = {"created": False, "preview": UNKNOWN}[moment]
    assert safety(case.program, moment).administrator is expected
    case.program.change(case.grant, principalType="User")
    assert safety(case.program, moment).administrator is False


def test_an_assignment_to_nobody_knows_whom():
    case = cluster()
    case.program.change(case.grant, principalId=UNKNOWN)
    assert safety(case.program).administrator is UNKNOWN


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        (None, False),
        ({"type": "None"}, False),
        (UNKNOWN, UNKNOWN),
        ({"type": "UserAssigned", "userAssignedIdentities": ["/by/hand"]}, UNKNOWN),
        ({"type": "UserAssigned", "userAssignedIdentities": {"/by/hand": {}}}, UNKNOWN),
        ({"type": "UserAssigned", "userAssignedIdentities": UNKNOWN}, UNKNOWN),
    ],
    ids=str,
)
def test_an_identity_that_is_not_there_or_not_seen(identity, expected):
    case = cluster()
    case.program.change(case.scaling, identity=identity)
    assert safety(case.program).administrator is expected


@both
def test_a_machine_s_own_identity(moment):
    program = stacks.open_machine()
    assert safety(program, moment).administrator is True
    grant = next(handle for handle in program.handles.values() if handle.name == "god")
    program.change(grant, roleDefinitionId=role(READER))
    assert safety(program, moment).administrator is False
