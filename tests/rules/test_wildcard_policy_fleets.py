"""Rights in clusters of Google Cloud: of a fleet's bindings, and of legacy authorization."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.verdicts import verdicts

SCOPE = "gkehub/scopeRbacRoleBinding:ScopeRbacRoleBinding"
MEMBERSHIP = "gkehub/membershipRbacRoleBinding:MembershipRbacRoleBinding"


def told(program, moment="created"):
    given = verdicts(of_resources(program.resources(moment)), "wildcard-policy")
    return [each for each in given if each[0] not in {"not-applicable", "fine"}]


def bound(token, role="ADMIN", **subject):
    program = GcpProgram()
    program.add(token, "b", role={"predefinedRole": role}, **subject)
    return told(program)


@pytest.mark.parametrize("token", [SCOPE, MEMBERSHIP])
@pytest.mark.parametrize(
    ("subject", "role", "words"),
    [
        ({"user": "system:anonymous"}, "VIEW", "everyone, without a login"),
        ({"group": "system:authenticated"}, "EDIT", "everyone with a Google account"),
        ({"group": "system:serviceaccounts"}, "ADMIN", "every pod of the cluster"),
        ({"user": "me@example.com"}, "ADMIN", ""),
        ({"group": "platform@example.com"}, "ADMIN", ""),
        ({"group": "system:serviceaccounts"}, "VIEW", ""),
    ],
)
def test_a_binding_of_a_fleet_is_not_for_everyone(token, subject, role, words):
    given = bound(token, role, **subject)
    if words:
        ((outcome, message),) = given
        assert outcome == "violated"
        assert f"grants {role} in clusters of a fleet to {words}" in message
    else:
        assert given == []


@both
@pytest.mark.parametrize(
    ("role", "runs", "expected"),
    [
        ("ADMIN", True, ["violated"]),
        (UNKNOWN, True, ["not-knowable"]),
        ("VIEW", True, []),
        ("ADMIN", False, []),
    ],
)
def test_machines_do_not_administer_a_fleet(role, runs, expected, moment):
    program = GcpProgram()
    account = program.add("serviceaccount/account:Account", "sa", accountId="sa", project="shop-1")
    config = {"serviceAccount": account.out("email")} if runs else {}
    program.add("container/nodePool:NodePool", "pool", cluster="k", nodeCount=1, nodeConfig=config)
    program.add(SCOPE, "b", user=account.out("email"), role={"predefinedRole": role})
    assert [outcome for outcome, _ in told(program, moment)] == expected


@pytest.mark.parametrize(
    ("legacy", "expected"),
    [(True, ["violated"]), (UNKNOWN, ["not-knowable"]), (False, []), (None, [])],
)
@pytest.mark.parametrize("autopilot", [True, False])
def test_legacy_authorization_gives_every_pod_all_rights(legacy, expected, autopilot):
    program = GcpProgram()
    given = {} if legacy is None else {"enableLegacyAbac": legacy}
    program.add(
        "container/cluster:Cluster",
        "k",
        location="us-central1",
        enableAutopilot=autopilot,
        **given,
    )
    assert [outcome for outcome, _ in told(program)] == expected
