"""What a statement of an IAM policy grants, however its wildcards are spelt.

Actions and ARNs are patterns of `*` and `?`; actions are compared without regard to case:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.observe.conditions import narrows
from gpuinfra.clouds.observing.names import NONE_CALLED, fits
from gpuinfra.clouds.observing.values import any_of, at, listed, opposite
from gpuinfra.model import UNKNOWN, Known, Unknown

SELF_GRANTING: Final = (
    *("iam:AttachRolePolicy", "iam:AttachUserPolicy", "iam:AttachGroupPolicy"),
    *("iam:PutRolePolicy", "iam:PutUserPolicy", "iam:PutGroupPolicy"),
    *("iam:CreatePolicyVersion", "iam:SetDefaultPolicyVersion", "iam:AddUserToGroup"),
    *("iam:CreateAccessKey", "iam:CreateLoginProfile", "iam:UpdateLoginProfile"),
    "iam:UpdateAssumeRolePolicy",
)
"""Actions that, allowed on all resources, let a principal get every right, as of 2026-11-22:
https://rhinosecuritylabs.com/aws/aws-privilege-escalation-methods-mitigation/
https://docs.aws.amazon.com/IAM/latest/UserGuide/access-analyzer-reference-policy-checks.html"""

PASSING: Final = "iam:PassRole"
ROLE_TAKING: Final = (
    *("ec2:RunInstances", "ec2:CreateFleet", "ec2:RequestSpotFleet", "ec2:RequestSpotInstances"),
    *("autoscaling:CreateAutoScalingGroup", "eks:CreateNodegroup"),
    *("lambda:CreateFunction", "cloudformation:CreateStack"),
    *("ecs:RegisterTaskDefinition", "ecs:RunTask", "codebuild:CreateProject"),
    *("sagemaker:CreateNotebookInstance", "sagemaker:CreateTrainingJob"),
    *("sagemaker:CreateProcessingJob", "glue:CreateJob", "glue:CreateDevEndpoint"),
    *("states:CreateStateMachine", "batch:RegisterJobDefinition"),
    "ssm:StartAutomationExecution",
)
"""Actions that run what the caller chooses with a role that he passes, as of 2026-11-23:
https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
https://rhinosecuritylabs.com/aws/aws-privilege-escalation-methods-mitigation/"""

TAKING_OVER: Final = {
    "sts:AssumeRole": "it can become every role that trusts its account",
    "ssm:SendCommand": "it can run commands on every machine, with the machine's role",
    "ssm:StartSession": "it can open a shell on every machine, with the machine's role",
    "ec2-instance-connect:SendSSHPublicKey": "it can log in to every machine that it can reach",
    "ec2-instance-connect:OpenTunnel": "it can reach ports of every machine in a private network",
    "ec2-instance-connect:SendSerialConsoleSSHPublicKey": "it can log in to every serial console",
    "ec2:GetPasswordData": "it can read the password of every Windows machine whose key it has",
    "lambda:UpdateFunctionCode": "it can run code in every function, with the function's role",
    "s3:PutBucketPolicy": "it can open every bucket to anyone",
    "secretsmanager:GetSecretValue": "it can read every secret",
    **dict.fromkeys(
        ("ssm:GetParameter", "ssm:GetParameters", "ssm:GetParametersByPath"),
        "it can read every parameter, secrets among them",
    ),
    "kms:Decrypt": "it can decrypt with every key that leaves it to IAM policies",
}
"""Actions that, allowed on all resources, use or read what others may, and what each lets do, as
of 2026-11-26: https://rhinosecuritylabs.com/aws/aws-privilege-escalation-methods-mitigation/
https://docs.aws.amazon.com/IAM/latest/UserGuide/access-analyzer-reference-policy-checks.html
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/permissions-for-ec2-instance-connect-endpoint.html
https://docs.aws.amazon.com/securityhub/latest/userguide/kms-controls.html#kms-1
https://github.com/salesforce/cloudsplaining/blob/master/cloudsplaining/shared/constants.py"""

_MACHINE: Final = ("ec2", "instance/")
_PARAMETER: Final = ("ssm", "parameter/")
_ON: Final = {
    "ssm:SendCommand": _MACHINE,
    "ssm:StartSession": _MACHINE,
    "ec2-instance-connect:SendSSHPublicKey": _MACHINE,
    "ec2-instance-connect:OpenTunnel": ("ec2", "instance-connect-endpoint/"),
    "ec2-instance-connect:SendSerialConsoleSSHPublicKey": _MACHINE,
    "ec2:GetPasswordData": _MACHINE,
    "secretsmanager:GetSecretValue": ("secretsmanager", "secret:"),
    "ssm:GetParameter": _PARAMETER,
    "ssm:GetParameters": _PARAMETER,
    "ssm:GetParametersByPath": _PARAMETER,
    "kms:Decrypt": ("kms", "key/"),
}
"""What actions are on, by service and type: all of these is everything, too.
https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html"""

ALL_DATA: Final = {
    "every object": ("s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
    "every item of every table": ("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"),
}
"""Actions that together, allowed on all resources, read, replace and delete all data:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html"""

_WITHOUT_TYPE: Final = (NONE_CALLED, f"{NONE_CALLED}/{NONE_CALLED}")
_TYPES: Final = {"iam": ("role", "user", "group", "policy"), "dynamodb": ("table",)}
"""Types of which all together are a service's power, where one of them is enough:
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsidentityandaccessmanagementiam.html"""
_FIELDS: Final = 6


def is_allowed(statement: Any) -> bool:
    """Whether a statement allows anything without a condition that narrows it."""
    return at(statement, "Effect") == "Allow" and not narrows(at(statement, "Condition"))


def of_everything(pattern: Any) -> bool:
    """Whether an action's pattern is every action of every service."""
    return isinstance(pattern, str) and _takes(pattern, f"{NONE_CALLED}:{NONE_CALLED}")


def of_a_service(pattern: Any) -> bool:
    """Whether an action's pattern is every action of a service."""
    if not isinstance(pattern, str):
        return False
    service, divided, action = pattern.partition(":")
    return of_everything(pattern) or bool(divided and service and _takes(action, NONE_CALLED))


def grants(statement: Any, action: str) -> Known:
    """Say whether a statement is about an action, on any resource."""
    spared = listed(at(statement, "NotAction"))
    if spared:
        named = any_of(_names(pattern, action) for pattern in spared)
        return opposite(named)
    return any_of(_names(pattern, action) for pattern in listed(at(statement, "Action")))


def is_everywhere(statement: Any, service: str) -> Known:
    """Say whether a statement is about every resource of a service, or of one of its types."""
    if at(statement, "NotResource") is not None:
        return True
    return any_of(_is_wide(pattern, service) for pattern in listed(at(statement, "Resource")))


def self_granted(statement: Any) -> Iterator[str]:
    """Yield the actions that a statement allows on everything and that give every right."""
    if is_allowed(statement) and is_everywhere(statement, "iam") is True:
        yield from (action for action in SELF_GRANTING if grants(statement, action) is True)


def taken_over(statement: Any) -> Iterator[tuple[str, str]]:
    """Yield the powers that a statement gives over everything, each with the first such action."""
    if not is_allowed(statement):
        return
    powers: set[str] = set()
    for action, power in TAKING_OVER.items():
        if power in powers or grants(statement, action) is not True:
            continue
        services = (action.partition(":")[0], *(("iam",) if action == "sts:AssumeRole" else ()))
        if _is_on_every(statement, *_ON.get(action, ("", ""))) or any(
            is_everywhere(statement, service) is True for service in services
        ):
            powers.add(power)
            yield action, power


def _is_on_every(statement: Any, service: str, kind: str) -> bool:
    patterns = (each for each in listed(at(statement, "Resource")) if isinstance(each, str))
    return bool(service) and any(
        _takes(pattern, f"{_head(pattern, service)}{kind}{NONE_CALLED}") for pattern in patterns
    )


def all_data(statement: Any) -> Iterator[tuple[str, str]]:
    """Yield the data that a statement lets one read, replace and delete, all of it, and how."""
    for data, actions in ALL_DATA.items():
        if (
            is_allowed(statement)
            and is_everywhere(statement, actions[0].partition(":")[0]) is True
            and all(grants(statement, action) is True for action in actions)
        ):
            yield data, ", ".join(actions)


def passes_to(statements: Sequence[Any]) -> str | None:
    """Return what a policy lets run with a role of its holder's choice; None where nothing."""
    allowed = [statement for statement in statements if is_allowed(statement)]
    passing = (statement for statement in allowed if is_everywhere(statement, "iam") is True)
    if not any(grants(each, PASSING) is True for each in passing) or denies(statements, PASSING):
        return None
    runs = (
        action
        for action in ROLE_TAKING
        for statement in allowed
        if grants(statement, action) is True
    )
    return next((action for action in runs if not denies(statements, action)), None)


def denies(statements: Sequence[Any], action: str) -> bool:
    """Whether a policy denies an action everywhere and without a condition."""
    return any(
        at(each, "Effect") == "Deny"
        and at(each, "Condition") is None
        and is_everywhere(each, action.partition(":")[0]) is True
        and grants(each, action) is True
        for each in statements
    )


def _names(pattern: Any, action: str) -> Known:
    if isinstance(pattern, Unknown):
        return UNKNOWN
    return isinstance(pattern, str) and _takes(pattern, action)


def _is_wide(pattern: Any, service: str) -> Known:
    if isinstance(pattern, Unknown):
        return UNKNOWN
    return isinstance(pattern, str) and any(
        _takes(pattern, probe) for probe in _probes(pattern, service)
    )


def _probes(pattern: str, service: str) -> Iterable[str]:
    """ARNs of things that do not exist, in the place that the pattern itself names."""
    named = service if re.fullmatch(r"[a-z0-9-]+", service) else NONE_CALLED
    head = _head(pattern, named)
    types = (f"{kind}/{NONE_CALLED}" for kind in _TYPES.get(named, ()))
    return [head + tail for tail in (*_WITHOUT_TYPE, *types)]


def _head(pattern: str, service: str) -> str:
    """The ARN of a service's things where a pattern names them, up to the thing itself."""
    parts = [*pattern.split(":", _FIELDS - 1), *([""] * _FIELDS)]
    partition, region, account = (_plain(parts[place]) for place in (1, 3, 4))
    return f"arn:{partition}:{service}:{region}:{account}:"


def _plain(field: str) -> str:
    return field.replace("*", NONE_CALLED).replace("?", "q")


def _takes(pattern: str, name: str) -> bool:
    return fits(pattern, name, ignore_case=True)
