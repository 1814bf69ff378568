"""Builders of IAM policy documents, shared by all policies that are written here."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpuinfra.graph import Expression

Statement = Mapping[str, Any]

_LANGUAGE: Final = "2012-10-17"
"""The version of the policy language, and no date of ours:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_version.html"""


def document(statements: Iterable[Statement]) -> dict[str, Any]:
    """Return a policy of these statements."""
    return {"Version": _LANGUAGE, "Statement": list(statements)}


def text(statements: Iterable[Statement]) -> str:
    """Return a policy of these statements as JSON text."""
    return json.dumps(document(statements))


def allow(
    actions: Iterable[str], resource: str | list[str] | Expression, **conditions: Any
) -> dict[str, Any]:
    """Return the statement that allows actions on a resource, with conditions by operator."""
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": resource}
    return {**statement, "Condition": conditions} if conditions else statement


def trust(service: str, account: str = "") -> str:
    """Return the JSON text of a role's trust in a service, for one account only if given."""
    condition = {"StringEquals": {"aws:SourceAccount": account}}
    return text(
        [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"Service": f"{service}.amazonaws.com"},
                **({"Condition": condition} if account else {}),
            }
        ]
    )
