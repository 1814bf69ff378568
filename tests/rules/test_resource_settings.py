"""Settings that AWS refuses or ignores: what the rule makes of what the observers report.

What is looked at for each type stands in tests/clouds/aws/test_observe_defects.py.
"""

import json

import pytest

from gpuinfra.model import UNKNOWN, Defect, Fault
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

RULE = "resource-settings"


def policy(action: object) -> Program:
    statement = {"Effect": "Allow", "Action": action, "Resource": "arn:aws:s3:::data/*"}
    text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    program = Program()
    program.add("aws:iam/rolePolicy:RolePolicy", "rights", role="trainer", policy=text)
    return program


@both
def test_an_action_that_aws_does_not_have_is_said_and_only_advises(moment):
    (finding,) = findings(of_resources(policy("s3:GetObjct").resources(moment)), RULE)

    assert finding.outcome == "violated"
    assert not finding.refuses
    assert finding.message.startswith("RolePolicy rights: s3 has no action GetObjct")


def test_a_resource_with_which_nothing_is_wrong_is_not_listed():
    assert outcomes(of_resources(policy("s3:GetObject").resources("created")), RULE) == [
        "not-applicable"
    ]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(rule=RULE, is_certain=False), ["not-knowable"]),
        (Fault(rule="valid-names", message="its name is too long"), ["not-applicable"]),
    ],
)
def test_a_fault_that_is_not_known_yet_or_of_another_rule(fault, expected):
    defect = Defect(name="rights", subject="urn", cloud="aws", faults=(fault,))

    assert outcomes(plan(defects=(defect,)), RULE) == expected


def test_a_policy_that_is_not_known_yet_has_no_fault():
    program = Program()
    program.add("aws:iam/rolePolicy:RolePolicy", "rights", role="trainer", policy=UNKNOWN)

    assert outcomes(of_resources(program.resources("preview")), RULE) == ["not-applicable"]
