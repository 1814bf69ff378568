"""The permissions of a deploy role as policies of IAM's size, and the role's trust policy."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gpuinfra.clouds.aws.rights.deploy_rights import Condition, Right, Scope, needed_rights
from gpuinfra.clouds.aws.statements import document

GITHUB: Final = "token.actions.githubusercontent.com"
AUDIENCE: Final = "sts.amazonaws.com"
"""https://docs.github.com/en/actions/how-tos/secure-your-work/security-harden-deployments/oidc-in-aws"""

POLICY: Final = 6_144
"""Characters of a managed policy, white space not counted:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html"""


def documents(scope: Scope) -> list[dict[str, Any]]:
    """Return the policies with all permissions, each small enough for a managed policy."""
    groups: list[list[dict[str, Any]]] = [[]]
    for statement in statements(needed_rights(scope)):
        if len(compact_json(document([*groups[-1], statement]))) > POLICY:
            groups.append([])
        groups[-1].append(statement)
    return [document(group) for group in groups]


def compact_json(document: Mapping[str, Any]) -> str:
    """Return a policy as it is sent, without white space, which counts toward the limit."""
    return json.dumps(document, separators=(",", ":"))


def trust(provider: str, repository: str, branch: str) -> dict[str, Any]:
    """Return the role's trust policy: runs of one branch of one repository, by GitHub's tokens.

    Args:
        provider: the identity provider's ARN.
        repository: for example example/train.
        branch: for example main.
    """
    claims = {
        f"{GITHUB}:aud": AUDIENCE,
        f"{GITHUB}:sub": f"repo:{repository}:ref:refs/heads/{branch}",
    }
    return document(
        [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRoleWithWebIdentity",
                "Principal": {"Federated": provider},
                "Condition": {"StringEquals": claims},
            }
        ]
    )


def statements(rights: Iterable[Right]) -> list[dict[str, Any]]:
    """Return the permissions as statements, with equal ones merged."""
    resources: dict[tuple[tuple[Condition, ...], str], set[str]] = defaultdict(set)
    for need in rights:
        resources[need.conditions, need.action].add(need.resource)
    actions: dict[tuple[tuple[Condition, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for (conditions, action), arns in resources.items():
        actions[conditions, tuple(sorted(arns))].append(action)
    return [
        {
            "Effect": "Allow",
            "Action": sorted(action_names),
            "Resource": list(arns),
            **({"Condition": _conditions(conditions)} if conditions else {}),
        }
        for (conditions, arns), action_names in sorted(actions.items())
    ]


def _conditions(conditions: Sequence[Condition]) -> dict[str, dict[str, Any]]:
    by_operator: dict[str, dict[str, Any]] = {}
    for operator, key, values in conditions:
        by_operator.setdefault(operator, {})[key] = values[0] if len(values) == 1 else list(values)
    return by_operator
