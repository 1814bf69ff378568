"""Who holds a role may start machines with it: machines, tasks, pods and other roles."""

import json
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.clouds.aws.starts import FUNCTION, ROLE, ROLE_POLICY, TAGGED, reasons
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def trusting(**principal: Any) -> str:
    statement = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
    if "Federated" in principal:
        statement["Action"] = "sts:AssumeRoleWithWebIdentity"
    return json.dumps({"Statement": [statement]})


def held(
    trust: Any, *statements: dict[str, Any], program: Program | None = None, name: str = "held"
) -> Program:
    """A role with rights on everything, if a statement says no less, and a trust."""
    program = program or Program()
    role = program.add(ROLE, name, assumeRolePolicy=trust)
    rights = [{"Effect": "Allow", "Resource": "*"} | statement for statement in statements]
    program.add(
        ROLE_POLICY, f"{name}-rights", role=role.id, policy=json.dumps({"Statement": rights})
    )
    return program


RUNS = {"Action": ["ec2:CreateFleet", "iam:PassRole"]}
OF_PODS = "arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-east-1.amazonaws.com/id/EX"


@both
@pytest.mark.parametrize(
    ("trust", "holder"),
    [
        (trusting(Service="ec2.amazonaws.com"), "machines"),
        (trusting(Service=["s3.amazonaws.com", "ec2.amazonaws.com.cn"]), "machines"),
        (trusting(Service="ecs-tasks.amazonaws.com"), "tasks of ECS"),
        (trusting(Service="pods.eks.amazonaws.com"), "pods"),
        (trusting(Federated=OF_PODS), "pods"),
    ],
)
def test_machines_tasks_and_pods_that_may_start_machines_are_not_judged(moment, trust, holder):
    program = held(trust, RUNS)
    (reason,) = reasons(program, moment)
    (row,) = observe(program.resources(moment)).not_judged
    judged = of_resources(program.resources(moment))

    assert reason.startswith(f"{holder} may do ec2:CreateFleet with it")
    assert row.type == ROLE
    assert outcomes(judged, "price-unknown") == ["violated"]


def fix_of(program: Program) -> str:
    ((finding),) = findings(of_resources(program.resources()), "price-unknown")
    return finding.fix


@pytest.mark.parametrize(
    ("actions", "fix"),
    [
        (["ec2:CreateFleet"], "remove ec2:CreateFleet from the policies of the role held; "),
        (
            ["batch:SubmitJob"],
            (
                "remove batch:SubmitJob from the policies of the role held, or name only the ARN "
                "of an aws:batch/jobQueue:JobQueue of this stack in its Resource; "
            ),
        ),
    ],
)
def test_a_role_that_may_start_machines_is_to_be_narrowed_before_it_is_left_out(actions, fix):
    program = held(trusting(Service="ec2.amazonaws.com"), {"Action": actions})
    otherwise = "otherwise add prices: {not_counted: [aws:iam/role:Role]}"
    assert fix_of(program).startswith(f"{fix}{otherwise}")


def test_the_fix_names_the_policy_of_aws_and_the_role_that_is_assumed():
    arn = "arn:aws:iam::aws:policy/AmazonEC2FullAccess"
    program = Program()
    program.add(
        ROLE,
        "wide",
        assumeRolePolicy=trusting(Service="ec2.amazonaws.com"),
        managedPolicyArns=[arn],
    )
    assert fix_of(program).startswith("detach AmazonEC2FullAccess from the role wide, and allow ")
    assumed = held(trusting(AWS="arn:aws:iam::1:root"), RUNS, name="other")
    trust = trusting(Service="ec2.amazonaws.com")
    held(trust, {"Action": "sts:AssumeRole"}, program=assumed, name="first")
    assert fix_of(assumed).startswith("remove ec2:CreateFleet from the policies of the role other")


@pytest.mark.parametrize(
    "trust",
    [
        trusting(Service="codebuild.amazonaws.com"),
        trusting(AWS="arn:aws:iam::123456789012:root"),
        trusting(Federated="arn:aws:iam::1:oidc-provider/token.actions.githubusercontent.com"),
        json.dumps({"Statement": [{"Effect": "Deny", "Principal": {"Service": "ec2"}}]}),
    ],
)
def test_a_role_of_persons_pipelines_or_services_is_not_asked(trust):
    assert not reasons(held(trust, RUNS))


def test_a_role_of_pods_is_known_before_its_cluster_is():
    program = held(UNKNOWN, RUNS)
    issuer = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
    for url, runs in ((UNKNOWN, True), ("https://gitlab.com", False)):
        made = Program()
        provider = made.add(issuer, "cluster", url=url)
        (other,) = made.resources()
        (role, policy) = program.resources()
        related = replace(role, relations={"assumeRolePolicy": (other.urn,)})

        assert bool(observe([other, related, policy]).not_judged) is runs
        assert provider


def test_what_a_role_is_denied_it_may_not_start():
    everything = {"Effect": "Deny", "Action": "ec2:CreateFleet"}
    trust = trusting(Service="ec2.amazonaws.com")

    assert not reasons(held(trust, RUNS, everything))
    assert reasons(held(trust, RUNS, everything | {"Condition": TAGGED}))


MACHINE_OF_STATES = "aws:sfn/stateMachine:StateMachine"


def test_what_runs_a_resource_of_the_stack_is_judged_at_that_resource():
    arns = []
    for resource in ("own", "*"):
        program = Program()
        states = program.add(MACHINE_OF_STATES, "s", definition="{}")
        program.change(states, arn="arn:aws:states:us-east-1:123456789012:stateMachine:s")
        arn = states.outputs["arn"] if resource == "own" else "*"
        held(
            trusting(Service="ec2.amazonaws.com"),
            {"Action": "states:StartExecution", "Resource": arn},
            program=program,
        )
        arns.append(["StartExecution" in reason for reason in reasons(program)])

    assert [any(own) for own in arns] == [False, True]


@pytest.mark.parametrize(
    ("trust", "resource", "runs"),
    [
        (trusting(AWS="arn:aws:iam::123456789012:root"), "*", True),
        (trusting(AWS="arn:aws:iam::123456789012:root"), "own", True),
        (trusting(AWS="arn:aws:iam::123456789012:root"), "arn:aws:iam::1:role/other", False),
        (trusting(Service="codebuild.amazonaws.com"), "*", False),
    ],
)
def test_a_function_may_start_machines_as_another_role_of_the_stack(trust, resource, runs):
    program = held(trust, RUNS, name="second")
    second = next(each for each in program.handles.values() if each.type == ROLE)
    program.change(second, arn="arn:aws:iam::123456789012:role/second-1a2b3c")
    arn = second.outputs["arn"] if resource == "own" else resource
    held("{}", {"Action": "sts:AssumeRole", "Resource": arn}, program=program, name="first")
    first = next(each for each in program.handles.values() if each.name == "first")
    program.add(FUNCTION, "f", role=first.arn)

    assert ["ec2:CreateFleet as second" in reason for reason in reasons(program)] == [True] * runs


OURS = "arn:aws:iam::123456789012:role/"


@pytest.mark.parametrize(
    ("named", "about", "runs"),
    [
        ({"name": "launcher"}, {"Resource": f"{OURS}launcher"}, True),
        ({"name": "launcher"}, {"Resource": f"{OURS}launch*"}, True),
        ({"name": "launcher"}, {"Resource": "arn:aws:iam::*:role/*"}, True),
        ({"name": "launcher"}, {"Resource": "*"}, True),
        ({"name": "launcher"}, {"Resource": f"{OURS}reader"}, False),
        ({"name": "launcher"}, {"Resource": "arn:aws:s3:::launcher"}, False),
        ({"name": "launcher"}, {"NotResource": f"{OURS}reader"}, True),
        ({"name": "launcher"}, {"NotResource": f"{OURS}launch*"}, False),
        ({"name": "launcher", "path": "/ml/"}, {"Resource": f"{OURS}ml/launcher"}, True),
        ({"name": "launcher", "path": "/ml/"}, {"Resource": f"{OURS}launcher"}, False),
        ({"namePrefix": "launch-"}, {"Resource": f"{OURS}launch-*"}, True),
        ({"namePrefix": "launch-"}, {"Resource": f"{OURS}other-*"}, False),
        ({"name": UNKNOWN}, {"Resource": f"{OURS}*"}, True),
        ({"name": UNKNOWN}, {"Resource": f"{OURS}launcher"}, False),
    ],
    ids=str,
)
def test_a_role_that_is_not_made_yet_is_found_by_the_arn_that_it_will_have(named, about, runs):
    trust = trusting(AWS="arn:aws:iam::123456789012:root")
    program = held(trust, RUNS, name="second")
    second = next(each for each in program.handles.values() if each.type == ROLE)
    program.change(second, **{"name": None, **named})
    held("{}", {"Action": "sts:AssumeRole", **about}, program=program, name="first")
    first = next(each for each in program.handles.values() if each.name == "first")
    program.add(FUNCTION, "f", role=first.arn)

    found = ["as second" in reason for reason in reasons(program, "preview")]
    assert found == [True] * runs
