"""Policies of AWS: one that allows, and what wildcard-policy says of one resource."""

import json
from typing import Any

from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts


def document(**statement: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


def judged(token: str, **inputs: Any) -> list[tuple[str, str]]:
    """What wildcard-policy says of one resource of AWS."""
    program = Program()
    program.add(token, "it", **inputs)
    return verdicts(of_resources(program.resources()), "wildcard-policy")
