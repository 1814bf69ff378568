"""Grants on one service account, and roles that let their holder take any other (Google Cloud)."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.verdicts import verdicts

RULE = "wildcard-policy"
MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
BINDING = "gcp:serviceaccount/iAMBinding:IAMBinding"
POLICY = "gcp:serviceaccount/iAMPolicy:IAMPolicy"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
MINTS = "roles/iam.serviceAccountTokenCreator"
OPEN = f"grants {MINTS} on a service account to everyone"
ME = "user:me@example.com"


def document(*members: str) -> str:
    return json.dumps({"bindings": [{"role": MINTS, "members": list(members)}]})


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (MEMBER, {"member": "allUsers"}, ("violated", OPEN)),
        (MEMBER, {"member": "allAuthenticatedUsers"}, ("violated", OPEN)),
        (MEMBER, {"member": ME}, ("fine", "no wildcard grants broad permissions")),
        (MEMBER, {"member": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
        (BINDING, {"members": [ME, "allUsers"]}, ("violated", OPEN)),
        (BINDING, {"members": [ME]}, ("fine", "no wildcard grants broad permissions")),
        (POLICY, {"policyData": document(ME, "allUsers")}, ("violated", OPEN)),
        (POLICY, {"policyData": document(ME)}, ("fine", "no wildcard grants broad permissions")),
        (POLICY, {"policyData": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
        (
            ROLE,
            {"permissions": ["a.b.get", "resourcemanager.projects.setIamPolicy"]},
            ("violated", "allows resourcemanager.projects.setIamPolicy"),
        ),
        (
            ROLE,
            {"permissions": ["compute.instances.get"]},
            ("fine", "no wildcard grants broad permissions"),
        ),
        (ROLE, {"permissions": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
    ],
)
def test_what_it_gives_is_named(token: str, inputs: dict[str, Any], expected: Any):
    program = GcpProgram()
    given = inputs if token == ROLE else {"serviceAccountId": "x", "role": MINTS, **inputs}
    program.add(token, "it", **given)
    plan = of_resources(program.resources())
    assert verdicts(plan, RULE) == [expected]
    assert findings(plan, "price-unknown")[0].outcome == "fine"


def test_an_account_that_is_still_to_be_made_is_not_everybody():
    program = GcpProgram()
    account = program.add("serviceaccount/account:Account", "nodes", accountId="nodes")
    program.add(
        MEMBER, "it", serviceAccountId=account.id, role=MINTS, member=account.out("member")
    )
    assert verdicts(of_resources(program.resources()), RULE) == [
        ("fine", "no wildcard grants broad permissions")
    ]
