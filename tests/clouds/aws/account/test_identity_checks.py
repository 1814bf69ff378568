import pytest

from gpuinfra.clouds.aws.account import identity_checks
from gpuinfra.clouds.aws.account.identity_checks import CallerIdentity
from gpuinfra.errors import InputError
from tests.clouds.aws.account.conftest import REGION

USER = CallerIdentity(account="123456789012", arn="arn:aws:iam::123456789012:user/ada")
ROLE = CallerIdentity(account="123456789012", arn="arn:aws:sts::123456789012:assumed-role/ci/run")
ROOT = CallerIdentity(account="123456789012", arn="arn:aws:iam::123456789012:root")
GET_ROLE = ("iam", "get_role")
SIMULATE = ("iam", "simulate_principal_policy")


def decided(decision, action="budgets:ModifyBudget"):
    return (
        *SIMULATE,
        {"EvaluationResults": [{"EvalActionName": action, "EvalDecision": decision}]},
    )


def role(arn="arn:aws:iam::123456789012:role/path/ci"):
    made = {"Path": "/", "RoleName": "ci", "RoleId": "AROA" + "0" * 16, "Arn": arn}
    return (*GET_ROLE, {"Role": {**made, "CreateDate": 0}})


def only(checks):
    (check,) = checks
    return check


def test_who_asks_is_told(stubbed):
    answer = {"Account": USER.account, "Arn": USER.arn, "UserId": "AIDA"}
    who, check = identity_checks.identity(stubbed(("sts", "get_caller_identity", answer)), REGION)

    assert who == USER
    assert (check.state, check.result) == ("ok", USER.arn)


@pytest.mark.parametrize("code", ["ExpiredToken", "InvalidClientTokenId"])
def test_credentials_that_aws_does_not_take_are_bad_input(stubbed, code):
    with pytest.raises(InputError, match="no valid AWS credentials") as caught:
        identity_checks.identity(stubbed(("sts", "get_caller_identity", code)), REGION)

    assert "aws sts get-caller-identity" in caught.value.problems[0].fix


def test_nobody_knows_who_asks_when_aws_is_busy(stubbed):
    who, check = identity_checks.identity(
        stubbed(("sts", "get_caller_identity", "Throttling")), REGION
    )

    assert who is None
    assert check.state == "unknown"


@pytest.mark.parametrize(
    ("decision", "state"),
    [("allowed", "ok"), ("implicitDeny", "problem"), ("explicitDeny", "problem")],
)
def test_the_right_to_make_a_budget(stubbed, decision, state):
    check = only(identity_checks.budget(stubbed(decided(decision)), USER, REGION))

    assert check.state == state
    if state == "problem":
        assert check.fix == f"allow budgets:ModifyBudget to {USER.arn}"


def test_of_an_assumed_role_the_role_s_own_policies_count(stubbed):
    caller = stubbed(role(), decided("allowed"))

    assert only(identity_checks.budget(caller, ROLE, REGION)).state == "ok"


def test_an_account_s_root_may_all(stubbed):
    assert only(identity_checks.budget(stubbed(), ROOT, REGION)).state == "ok"


@pytest.mark.parametrize(
    ("who", "answers"),
    [
        (None, ()),
        (USER, ((*SIMULATE, "AccessDenied"),)),
        (ROLE, ((*GET_ROLE, "AccessDenied"),)),
    ],
)
def test_a_right_that_nobody_tells_is_unknown(stubbed, who, answers):
    assert only(identity_checks.budget(stubbed(*answers), who, REGION)).state == "unknown"


def test_spot_s_role_is_there_or_may_be_made_or_is_a_problem(stubbed):
    gone = (*GET_ROLE, "NoSuchEntity")
    action = "iam:CreateServiceLinkedRole"

    def check(*answers):
        return only(identity_checks.spot_role(stubbed(*answers), USER, REGION))

    assert check(role()).state == "ok"
    assert (
        check(gone, decided("allowed", action)).result
        == "it doesn't exist, and the caller may create it"
    )
    denied = check(gone, decided("implicitDeny", action))
    assert denied.state == "problem"
    assert "aws iam create-service-linked-role" in denied.fix
    assert check(gone, (*SIMULATE, "AccessDenied")).state == "unknown"
    assert check((*GET_ROLE, "AccessDenied")).state == "unknown"


def test_an_identity_provider_is_there_or_a_problem(stubbed):
    arn = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"
    call = ("iam", "get_open_id_connect_provider")

    def check(answer):
        return only(identity_checks.provider(stubbed((*call, answer)), arn, REGION))

    assert check({"Url": "token.actions.githubusercontent.com"}).state == "ok"
    assert check("NoSuchEntity").state == "problem"
    assert check("AccessDenied").state == "unknown"
    assert list(identity_checks.provider(stubbed(), None, REGION)) == []
