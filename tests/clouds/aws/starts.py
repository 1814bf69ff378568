"""What the tests of undeclared starts share: types, a condition, why what starts is not judged."""

from typing import Any

from gpuinfra.clouds.aws.observe import observe
from tests.rules.cases.program import Program

FUNCTION = "aws:lambda/function:Function"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
TAGGED = {"StringEquals": {"aws:ResourceTag/team": "ml"}}


def reasons(program: Program, moment: Any = "created") -> list[str]:
    return [row.reason for row in observe(program.resources(moment)).not_judged]
