"""Rights that a machine of Google Cloud has by another account, an own role or a wide scope."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment
from tests.rules.cases.verdicts import verdicts

RULE = "administrator-role"
WIDE = "wildcard-policy"

AUTH = "https://www.googleapis.com/auth/"
ON_ACCOUNT = "serviceaccount/iAMMember:IAMMember"
TOKENS = "roles/iam.serviceAccountTokenCreator"
KEYS = "roles/iam.serviceAccountKeyAdmin"
USER = "roles/iam.serviceAccountUser"
STARTER = "roles/compute.instanceAdmin.v1"
ADDRESS = "{}@shop-1.iam.gserviceaccount.com"


class Case:
    """A machine that acts as the account `nodes`, beside the account `rich`, an editor."""

    def __init__(self, scope: str = "cloud-platform", rich: str = "roles/editor") -> None:
        self.program = GcpProgram()
        add = self.program.add
        account = "serviceaccount/account:Account"
        self.nodes = add(account, "nodes", accountId="nodes", project="shop-1")
        self.rich = add(account, "rich", accountId="rich", project="shop-1")
        self.give(rich, self.rich, "power")
        add(
            "compute/instance:Instance",
            "box",
            zone="us-central1-a",
            machineType="g2-standard-4",
            serviceAccount={"email": self.nodes.out("email"), "scopes": [scope]},
        )

    def give(self, role: Any, to: Any, name: str = "given", **inputs: Any) -> None:
        token = "projects/iAMMember:IAMMember"
        given = {"project": "shop-1", "role": role, "member": to.out("member"), **inputs}
        self.program.add(token, name, **given)

    def own_role(self, *permissions: str, level: str = "projects", **inputs: Any) -> Any:
        token = f"{level}/iAMCustomRole:IAMCustomRole"
        given = {"roleId": "mine", "permissions": list(permissions), **inputs}
        return self.program.add(token, "mine", **given)

    def on_rich(self, role: Any, name: str = "on", **inputs: Any) -> None:
        given = {
            "serviceAccountId": self.rich.out("name"),
            "role": role,
            "member": self.nodes.out("member"),
            **inputs,
        }
        self.program.add(ON_ACCOUNT, name, **given)

    def outcome(self, moment: Moment = "preview", rule: str = RULE) -> Any:
        (outcome,) = outcomes(of_resources(self.program.resources(moment)), rule)
        return outcome

    def wide(self, moment: Moment = "preview") -> list[tuple[str, str]]:
        judged = verdicts(of_resources(self.program.resources(moment)), WIDE)
        return [verdict for verdict in judged if "roles/editor" not in verdict[1]]


@both
@pytest.mark.parametrize(
    ("role", "outcome"),
    [
        (TOKENS, "violated"),
        (KEYS, "violated"),
        ("roles/iam.serviceAccountAdmin", "violated"),
        ("roles/iam.workloadIdentityUser", "violated"),
        (USER, "fine"),
        ("roles/viewer", "fine"),
        (UNKNOWN, "not-knowable"),
    ],
)
def test_who_may_become_an_editor_is_one(role, outcome, moment):
    case = Case()
    case.on_rich(role)
    assert case.outcome(moment) == outcome


@both
def test_who_may_become_an_account_with_few_rights_is_none(moment):
    case = Case(rich="roles/logging.logWriter")
    case.on_rich(TOKENS)
    assert case.outcome(moment) == "fine"


@both
@pytest.mark.parametrize(("role", "outcome"), [(STARTER, "violated"), ("roles/viewer", "fine")])
def test_who_starts_things_as_an_editor_is_one(role, outcome, moment):
    case = Case()
    case.on_rich(USER)
    case.give(role, case.nodes)
    assert case.outcome(moment) == outcome


@both
def test_a_grant_to_another_is_another_s(moment):
    case = Case()
    case.on_rich(TOKENS, member="user:me@example.com")
    assert case.outcome(moment) == "fine"


@both
def test_tokens_of_oneself_add_nothing(moment):
    case = Case()
    case.on_rich(TOKENS, serviceAccountId=case.nodes.out("name"))
    assert case.outcome(moment) == "fine"


@both
def test_accounts_that_mint_each_other_are_followed_once(moment):
    case = Case(rich="roles/logging.logWriter")
    case.on_rich(TOKENS)
    case.on_rich(
        TOKENS,
        "back",
        serviceAccountId=case.nodes.out("name"),
        member=case.rich.out("member"),
    )
    assert case.outcome(moment) == "fine"


@both
def test_grants_on_accounts_are_followed_to_their_end(moment):
    case = Case()
    third = case.program.add(
        "serviceaccount/account:Account", "third", accountId="third", project="shop-1"
    )
    case.on_rich(TOKENS, serviceAccountId=third.out("name"))
    case.on_rich(TOKENS, "on2", member=third.out("member"))
    assert case.outcome(moment) == "violated"


@both
@pytest.mark.parametrize(
    ("name", "outcome"), [("rich", "violated"), ("nodes", "fine"), ("their", "not-knowable")]
)
def test_addresses_that_are_written_out_are_the_accounts(name, outcome, moment):
    case = Case()
    link = f"projects/shop-1/serviceAccounts/{ADDRESS.format(name)}"
    member = f"serviceAccount:{ADDRESS.format('nodes')}"
    case.on_rich(TOKENS, serviceAccountId=link, member=member)
    assert case.outcome(moment) == outcome


@both
@pytest.mark.parametrize(
    ("role", "member", "outcome"),
    [
        (TOKENS, f"serviceAccount:{ADDRESS.format('nodes')}", "violated"),
        (TOKENS, "user:me@example.com", "fine"),
        ("roles/viewer", f"serviceAccount:{ADDRESS.format('nodes')}", "fine"),
    ],
)
def test_bindings_and_policies_of_accounts_are_followed_too(role, member, outcome, moment):
    case = Case()
    case.program.add(
        "serviceaccount/iAMPolicy:IAMPolicy",
        "policy",
        serviceAccountId=case.rich.out("name"),
        policyData=json.dumps({"bindings": [{"role": role, "members": [member]}]}),
    )
    assert case.outcome(moment) == outcome
    case = Case()
    case.program.add(
        "serviceaccount/iAMBinding:IAMBinding",
        "binding",
        serviceAccountId=case.rich.out("name"),
        role=role,
        members=[member],
    )
    assert case.outcome(moment) == outcome


USE = "grants mine, the use of every service account ({}), on the whole project"


@both
@pytest.mark.parametrize("level", ["projects", "organizations"])
@pytest.mark.parametrize(
    ("permissions", "administrator", "wide"),
    [
        (["iam.serviceAccountKeys.create"], "violated", USE),
        (["iam.serviceAccounts.getAccessToken"], "violated", USE),
        (["iam.serviceAccounts.signBlob"], "violated", USE),
        (["iam.serviceAccounts.setIamPolicy"], "violated", USE),
        (["iam.serviceAccounts.actAs"], "fine", USE),
        (
            ["iam.roles.update"],
            "violated",
            "grants mine, which may change any role, on the whole project",
        ),
        (["storage.objects.get"], "fine", None),
    ],
)
def test_own_roles_that_take_other_rights(permissions, administrator, wide, level, moment):
    case = Case()
    case.give(case.own_role(*permissions, level=level).out("name"), case.nodes)
    assert case.outcome(moment) == administrator
    told = [words for outcome, words in case.wide(moment) if outcome == "violated"]
    assert told == ([wide.format(permissions[0])] if wide else [])
    assert "not-knowable" not in [outcome for outcome, _ in case.wide(moment)]


def test_an_own_role_that_attaches_accounts_to_what_it_starts_takes_their_rights():
    case = Case()
    role = case.own_role("iam.serviceAccounts.actAs", "compute.instances.create")
    case.give(role.out("name"), case.nodes)
    assert case.outcome() == "violated"


def test_a_condition_narrows_what_an_own_role_takes():
    case = Case()
    role = case.own_role("iam.serviceAccounts.actAs")
    condition = {"expression": "resource.name == 'x'", "title": "one"}
    case.give(role.out("name"), case.nodes, condition=condition)
    assert [outcome for outcome, _ in case.wide()] == ["fine", "fine"]


@both
@pytest.mark.parametrize(
    ("level", "owner", "outcome"),
    [
        ("projects", {"project": "shop-1"}, "violated"),
        ("organizations", {"orgId": "shop-1"}, "violated"),
        ("projects", {"project": "other"}, "not-knowable"),
    ],
)
def test_an_own_role_is_found_by_its_written_id(level, owner, outcome, moment):
    case = Case()
    case.own_role("iam.serviceAccountKeys.create", level=level, **owner)
    case.give(f"{level}/shop-1/roles/mine", case.nodes)
    assert case.outcome(moment) == outcome


def test_an_unknown_role_of_elsewhere_is_not_known():
    case = Case()
    case.give(UNKNOWN, case.nodes)
    assert case.outcome() == "not-knowable"
    assert ("not-knowable", "its permissions are unknown") in case.wide()


@both
@pytest.mark.parametrize("prefix", ["", AUTH])
@pytest.mark.parametrize(
    ("scope", "outcome"),
    [
        ("compute", "violated"),
        ("iam", "violated"),
        ("cloudplatformprojects", "violated"),
        ("devstorage.full_control", "fine"),
        ("logging.write", "fine"),
    ],
)
def test_scopes_by_which_a_machine_gets_wider_ones_are_wide(scope, outcome, prefix, moment):
    case = Case(scope=f"{prefix}{scope}")
    case.give("roles/owner", case.nodes)
    assert case.outcome(moment) == outcome
