"""How the plugin is tried at one type: inputs that stand, and how each mistake is made."""

import json
from dataclasses import dataclass
from typing import Any

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"Service": "ec2.amazonaws.com"},
            }
        ],
    }
)
POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
    }
)
NOWHERE = "0123456789abcdef0"


@dataclass(frozen=True)
class Case:
    """One type: inputs that stand, and how each kind of mistake is made.

    Attributes:
        inputs: values in braces are ids of the town.
        required: an input to leave out; empty where AWS requires none.
        mistyped: an input and a value of the wrong type.
        broken: an input (dotted path) and a reference to nothing; none where AWS follows none.
        code: the refusal's code for the broken reference.
    """

    token: str
    inputs: dict[str, Any]
    required: str
    mistyped: tuple[str, Any]
    broken: tuple[str, Any] | None = None
    code: str = ""
