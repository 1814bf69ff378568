"""Checks of the caller: identity, spot's service-linked role, budget and identity provider."""

import re
from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.account_check import AccountCheck, answered_check, unknown
from gpuinfra.clouds.aws.account.client import AccountClient
from gpuinfra.clouds.aws.account.missing_responses import CREDENTIALS, NoAnswer, no_credentials
from gpuinfra.records import record

CALLER: Final = "caller"
RIGHT: Final = "right"
PROVIDER: Final = "identity provider"
SPOT_ROLE: Final = "AWSServiceRoleForEC2Spot"
"""https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html"""

_MAKE_ROLE: Final = "aws iam create-service-linked-role --aws-service-name spot.amazonaws.com"
_ROLE: Final = re.compile(r"arn:[^:]+:sts::\d+:assumed-role/(?P<name>[^/]+)/")


@record
class CallerIdentity:
    """The account and the ARN of the caller's credentials."""

    account: str
    arn: str


def identity(client: AccountClient, region: str) -> tuple[CallerIdentity | None, AccountCheck]:
    """Return the caller's identity, None where it is unknown, with its check.

    https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html

    Raises:
        InputError: there are no credentials, or AWS does not take them.
    """
    answer = client.ask("sts", region, "get_caller_identity")
    if isinstance(answer, NoAnswer):
        if answer.code in CREDENTIALS:
            raise no_credentials(f"{answer.why} (in {region})")
        return None, unknown(CALLER, "who asks", answer.why, answer.fix)
    caller_identity = CallerIdentity(account=str(answer["Account"]), arn=str(answer["Arn"]))
    return caller_identity, answered_check(
        CALLER, "who asks", fine=True, value=caller_identity.arn
    )


def spot_role(
    client: AccountClient, caller: CallerIdentity | None, region: str
) -> Iterator[AccountCheck]:
    """Check that spot's service-linked role exists or that the caller may create it."""
    item = f"role {SPOT_ROLE}, which every spot request needs"
    allowed = "present, or the permission to create it"
    answer = client.ask("iam", region, "get_role", RoleName=SPOT_ROLE)
    if not isinstance(answer, NoAnswer):
        yield answered_check(
            RIGHT, item, fine=True, value=str(answer["Role"]["Arn"]), allowed=allowed
        )
        return
    if answer.code != "NoSuchEntity":
        yield unknown(RIGHT, item, answer.why, answer.fix, allowed)
        return
    may = _may(client, caller, region, "iam:CreateServiceLinkedRole")
    if isinstance(may, NoAnswer):
        reason = f"it doesn't exist, and it is unknown whether the caller may create it: {may.why}"
        yield unknown(RIGHT, item, reason, f"create it once: {_MAKE_ROLE}", allowed)
        return
    state = "it doesn't exist, and the caller may create it" if may else "it doesn't exist"
    fix = f"ask an administrator to create it once: {_MAKE_ROLE}"
    yield answered_check(RIGHT, item, fine=may, value=state, allowed=allowed, fix=fix)


def budget(
    client: AccountClient, caller: CallerIdentity | None, region: str
) -> Iterator[AccountCheck]:
    """Check that the caller may create the monthly budget."""
    action = "budgets:ModifyBudget"
    item = f"permission {action}, for the monthly cap in the cloud"
    may = _may(client, caller, region, action)
    if isinstance(may, NoAnswer):
        yield unknown(RIGHT, item, may.why, may.fix, "allowed")
        return
    state = "allowed" if may else "not allowed"
    fix = f"allow {action} to {caller.arn if caller else 'the caller'}"
    yield answered_check(RIGHT, item, fine=may, value=state, allowed="allowed", fix=fix)


def provider(client: AccountClient, arn: str | None, region: str) -> Iterator[AccountCheck]:
    """Check that the identity provider of a deploy role exists; none is needed without an ARN.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetOpenIDConnectProvider.html
    """
    if arn is None:
        return
    answer = client.ask(
        "iam", region, "get_open_id_connect_provider", OpenIDConnectProviderArn=arn
    )
    if not isinstance(answer, NoAnswer):
        yield answered_check(PROVIDER, arn, fine=True, value=f"of {answer['Url']}")
    elif answer.code == "NoSuchEntity":
        fix = "remove provider to have it created: an account has one per address"
        yield answered_check(PROVIDER, arn, fine=False, value="no such provider", fix=fix)
    else:
        yield unknown(PROVIDER, arn, answer.why, answer.fix)


def _may(
    client: AccountClient, caller: CallerIdentity | None, region: str, action: str
) -> bool | NoAnswer:
    """Return whether the caller's own policies allow an action, as simulated by IAM.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html
    """
    if caller is None:
        return NoAnswer(
            kind="refused", why="the caller's identity is unknown", fix="log in, then retry"
        )
    if caller.arn.endswith(":root"):
        return True
    arn = _principal(client, caller, region)
    if isinstance(arn, NoAnswer):
        return arn
    answer = client.ask(
        "iam", region, "simulate_principal_policy", PolicySourceArn=arn, ActionNames=[action]
    )
    if isinstance(answer, NoAnswer):
        return answer
    return all(result["EvalDecision"] == "allowed" for result in answer["EvaluationResults"])


def _principal(client: AccountClient, caller: CallerIdentity, region: str) -> str | NoAnswer:
    """Return the ARN whose policies apply: for an assumed role, that of the role, with path."""
    role = _ROLE.match(caller.arn)
    if role is None:
        return caller.arn
    answer = client.ask("iam", region, "get_role", RoleName=role["name"])
    return answer if isinstance(answer, NoAnswer) else str(answer["Role"]["Arn"])
