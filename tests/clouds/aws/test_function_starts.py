"""A function whose role may start machines is not judged, by whatever policy it may."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.starts import FUNCTION, ROLE, ROLE_POLICY, TAGGED, reasons
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def function(statement: dict[str, Any] | None, **role: Any) -> Program:
    program = Program()
    made = program.add(ROLE, "r", assumeRolePolicy="{}", **role)
    if statement is not None:
        policy = json.dumps({"Statement": [{"Effect": "Allow", "Resource": "*"} | statement]})
        program.add(ROLE_POLICY, "p", role=made.id, policy=policy)
    program.add(FUNCTION, "f", role=made.arn)
    return program


@both
@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "ec2:RunInstances"},
        {"Action": "ec2:Run*", "Condition": TAGGED},
        {"Action": ["logs:*", "ec2:*"]},
        {"Action": "*"},
        {"NotAction": "iam:*"},
        {"Action": "autoscaling:UpdateAutoScalingGroup"},
        {"Action": "batch:SubmitJob", "Resource": "arn:aws:batch:*:*:job-queue/q"},
        {"Action": "batch:SubmitJob", "Resource": "arn:aws:batch:*:*:job-*"},
        {"Action": ["batch:TerminateJob", "batch:SubmitJob"], "Resource": "*"},
    ],
)
def test_a_function_that_may_start_machines_is_not_judged(moment, statement):
    (reason,) = reasons(function(statement), moment)

    assert "its role may do" in reason


@both
@pytest.mark.parametrize(
    "statement",
    [
        {"Action": ["ec2:StopInstances", "ec2:Describe*", "ec2:StartInstances"]},
        {"Action": "autoscaling:UpdateAutoScalingGroup", "Condition": TAGGED},
        {"Action": "ec2:RunInstances", "Effect": "Deny"},
        {"Action": "s3:GetObject"},
        {"Action": "batch:SubmitJob", "Resource": "arn:aws:batch:*:*:job-definition/one:*"},
        None,
    ],
)
def test_a_function_that_may_start_none_is_fine(moment, statement):
    assert not reasons(function(statement), moment)


def test_a_function_may_start_machines_by_a_policy_of_aws_or_of_the_stack():
    managed = function(None, managedPolicyArns=["arn:aws:iam::aws:policy/AmazonEC2FullAccess"])
    attached = function(None)
    role = next(handle for handle in attached.handles.values() if handle.type == ROLE)
    statement = {"Effect": "Allow", "Action": "ec2:CreateFleet", "Resource": "*"}
    policy = attached.add(
        "aws:iam/policy:Policy", "own", policy=json.dumps({"Statement": [statement]})
    )
    attached.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "a",
        role=role.id,
        policyArn=policy.arn,
    )

    assert "AmazonEC2FullAccess" in reasons(managed)[0]
    assert "ec2:CreateFleet" in reasons(attached)[0]


def bounded(boundary: Any, statement: dict[str, Any], **role: Any) -> Program:
    """A function whose role has a boundary: an ARN, or a statement of a policy of the stack."""
    program = function(statement)
    made = next(handle for handle in program.handles.values() if handle.type == ROLE)
    if isinstance(boundary, dict):
        own = json.dumps({"Statement": [{"Effect": "Allow", "Resource": "*"} | boundary]})
        boundary = program.add("aws:iam/policy:Policy", "boundary", policy=own).arn
    made.inputs["permissionsBoundary"] = boundary
    made.inputs.update(role)
    return program


EC2 = {"Action": "ec2:*"}
OF_AWS = "arn:aws:iam::aws:policy/"


@pytest.mark.parametrize(
    ("boundary", "left"),
    [
        (f"{OF_AWS}ReadOnlyAccess", False),
        (f"{OF_AWS}job-function/ViewOnlyAccess", False),
        (f"{OF_AWS}PowerUserAccess", True),
        (f"{OF_AWS}SomethingNew", True),
        ("arn:aws:iam::1:policy/ReadOnlyAccess", True),
        (UNKNOWN, True),
        ({"Action": "s3:*"}, False),
        ({"Action": ["s3:*", "ec2:Run*"]}, True),
        ({"NotAction": "ec2:*"}, False),
        ({"Action": "*"}, True),
    ],
)
def test_a_boundary_takes_away_what_it_does_not_allow(boundary, left):
    assert bool(reasons(bounded(boundary, EC2))) is left


def test_a_boundary_takes_away_what_policies_of_aws_allow():
    full = [f"{OF_AWS}AmazonEC2FullAccess"]
    nothing = {"Action": "logs:*"}

    assert not reasons(bounded({"Action": "s3:*"}, nothing, managedPolicyArns=full))
    assert reasons(bounded({"Action": "ec2:*"}, nothing, managedPolicyArns=full))


def test_a_function_may_start_machines_by_policies_that_its_role_alone_keeps():
    program = function(None)
    role = next(handle for handle in program.handles.values() if handle.type == ROLE)
    program.add(
        "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
        "a",
        roleName=role.id,
        policyArns=["arn:aws:iam::aws:policy/AmazonEC2FullAccess"],
    )

    assert "AmazonEC2FullAccess" in reasons(program)[0]


@pytest.mark.parametrize(
    "action",
    [
        *("sagemaker:CreateHyperParameterTuningJob", "sagemaker:CreateTransformJob"),
        *("sagemaker:CreateCluster", "sagemaker:StartPipelineExecution"),
        *("sagemaker:UpdateEndpoint", "ecs:CreateService", "ecs:UpdateService"),
        *("batch:UpdateComputeEnvironment", "rds:CreateDBInstance", "glue:StartJobRun"),
        *("codebuild:StartBuild", "states:StartExecution", "lightsail:CreateInstances"),
        *("elasticmapreduce:AddInstanceGroups", "cloudformation:ExecuteChangeSet"),
        "servicecatalog:ProvisionProduct",
    ],
)
def test_managed_services_start_machines_too(action):
    (reason,) = reasons(function({"Action": action}))

    assert action in reason


def test_rights_that_an_update_writes_are_not_decided_before_it():
    program = function(None)
    role = next(each for each in program.handles.values() if each.type == ROLE)
    program.add(ROLE_POLICY, "later", role=role.id, policy=UNKNOWN)
    rows = observe(program.resources("preview"))
    judged = of_resources(program.resources("preview"))

    assert not rows.not_judged
    assert [row.type for row in rows.undecided] == [FUNCTION]
    assert outcomes(judged, "price-unknown") == ["not-knowable"]

    certain = function({"Action": "ec2:RunInstances"})
    role = next(each for each in certain.handles.values() if each.type == ROLE)
    certain.add(ROLE_POLICY, "later", role=role.id, policy=UNKNOWN)
    assert not observe(certain.resources("preview")).undecided


ROLES = "arn:aws:iam::123456789012:role/team/"


@both
@pytest.mark.parametrize(("arn", "runs"), [(f"{ROLES}runner", True), (f"{ROLES}other", False)])
def test_a_role_is_found_by_the_arn_that_its_name_gives_it(moment, arn, runs):
    program = Program()
    made = program.add(ROLE, "r", name="runner", assumeRolePolicy="{}")
    statement = {"Effect": "Allow", "Resource": "*", "Action": "ec2:RunInstances"}
    policy = json.dumps({"Statement": [statement]})
    program.add(ROLE_POLICY, "p", role="runner", policy=policy)
    program.add(FUNCTION, "f", role=arn if moment == "preview" else made.arn if runs else arn)

    assert bool(reasons(program, moment)) is runs


def test_a_policy_is_found_by_the_arn_that_its_name_gives_it():
    program = Program()
    made = program.add(ROLE, "r", assumeRolePolicy="{}")
    statement = {"Effect": "Allow", "Resource": "*", "Action": "ec2:RunInstances"}
    text = json.dumps({"Statement": [statement]})
    program.add("aws:iam/policy:Policy", "p", name="run", policy=text)
    program.add(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "a",
        role=made.id,
        policyArn="arn:aws:iam::123456789012:policy/run",
    )
    program.add(FUNCTION, "f", role=made.arn)

    assert "ec2:RunInstances" in reasons(program, "preview")[0]
