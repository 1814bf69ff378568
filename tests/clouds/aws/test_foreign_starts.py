"""What starts stopped machines and databases that another stack declares."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Handle, Program

ASSOCIATION = "aws:ssm/association:Association"
TASK = "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask"
TARGET = "aws:ssm/maintenanceWindowTarget:MaintenanceWindowTarget"
REMEDIATION = "aws:cfg/remediationConfiguration:RemediationConfiguration"
EVENT_TARGET = "aws:cloudwatch/eventTarget:EventTarget"
SCHEDULE = "aws:scheduler/schedule:Schedule"
INSTANCE = "aws:ec2/instance:Instance"
STATES = "aws:sfn/stateMachine:StateMachine"
INTEGRATION = "aws:apigateway/integration:Integration"
REST_API = "aws:apigateway/restApi:RestApi"
DOCUMENT = "AWS-StartEC2Instance"
ELSEWHERE = "it starts a machine that it does not declare"


def starter(program: Program, way: str, machine: Any) -> None:
    """A way to start a machine by its id, at any time."""
    add = program.add
    if way == "association":
        add(ASSOCIATION, "x", name=DOCUMENT, parameters={"InstanceId": machine})
    elif way == "targets":
        targets = [{"key": "ParameterValues", "values": [machine]}]
        add(ASSOCIATION, "x", name=DOCUMENT, targets=targets)
    elif way == "window":
        wanted = [{"key": "InstanceIds", "values": [machine]}]
        add(TARGET, "t", windowId="mw-1", targets=wanted)
        add(TASK, "x", taskType="AUTOMATION", taskArn=DOCUMENT, windowId="mw-1")
    elif way == "remediation":
        parameters = [{"name": "InstanceId", "staticValue": machine}]
        add(REMEDIATION, "x", automatic=True, targetId=DOCUMENT, parameters=parameters)


@both
@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("way", ["association", "targets", "window", "remediation"])
def test_a_document_that_starts_a_machine_of_elsewhere_is_not_judged(way, here, moment):
    program = Program()
    own = program.add(INSTANCE, "own", instanceType="t3.micro")
    starter(program, way, own.id if here else "i-0elsewhere")
    assert started(program, moment) == ([] if here else [ELSEWHERE])
    if not here:
        given = of_resources(program.resources(moment))
        assert "violated" in outcomes(given, "price-unknown")


def started(program: Program, moment: Any = "created") -> list[str]:
    missing = observe(program.resources(moment)).not_judged
    return [row.reason for row in missing if "it starts a" in row.reason]


def by_schedule(program: Program, call: str, payload: Any) -> None:
    target = {"arn": f"arn:aws:scheduler:::aws-sdk:{call}", "input": payload}
    program.add(SCHEDULE, "x", target=target, scheduleExpression="rate(1 day)")


@pytest.mark.parametrize(
    ("call", "noun"),
    [
        ("ec2:startInstances", "machine"),
        ("rds:startDBInstance", "database"),
        ("rds:startDBCluster", "database"),
    ],
)
def test_a_schedule_that_starts_what_is_elsewhere_is_not_judged(call, noun):
    program = Program()
    by_schedule(program, call, json.dumps({"Ids": ["i-0elsewhere"]}))
    assert started(program) == [f"it starts a {noun} that it does not declare"]


@pytest.mark.parametrize("way", ["state machine", "integration", "body"])
@pytest.mark.parametrize(
    ("service", "call", "noun"),
    [
        ("ec2", "startInstances", "machine"),
        ("rds", "startDBInstance", "database"),
        ("rds", "startDBCluster", "database"),
        ("ec2", "stopInstances", None),
    ],
)
def test_a_call_of_a_service_starts_the_same_by_every_way(way, service, call, noun):
    program = Program()
    action = f"{call[0].upper()}{call[1:]}"
    uri = f"arn:aws:apigateway:us-east-1:{service}:action/{action}"
    if way == "state machine":
        resource = f"arn:aws:states:::aws-sdk:{service}:{call}"
        task = {"Type": "Task", "Resource": resource, "Parameters": {"Ids": ["i-0elsewhere"]}}
        program.add(STATES, "x", definition=json.dumps({"States": {"s": task}}))
    elif way == "integration":
        program.add(INTEGRATION, "x", type="AWS", uri=uri)
    else:
        program.add(REST_API, "x", body=json.dumps({"uri": uri}))
    assert started(program) == ([f"it starts a {noun} that it does not declare"] if noun else [])


def test_a_state_machine_may_start_the_machines_of_its_stack():
    program = Program()
    own = own_machine(program)
    task = {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:ec2:startInstances"}
    program.add(STATES, "x", definition={"States": {"s": {**task, "Parameters": [own.id]}}})
    assert started(program) == []


def own_machine(program: Program, **inputs: Any) -> Handle:
    return program.add(INSTANCE, "own", instanceType="t3.micro", **inputs)


def test_a_schedule_that_starts_a_machine_of_the_stack_is_fine():
    program = Program()
    ids = {"InstanceIds": [own_machine(program).outputs["id"]]}
    by_schedule(program, "ec2:startInstances", json.dumps(ids))
    assert started(program) == []


def test_before_its_creation_a_machine_is_known_by_what_the_schedule_refers_to():
    program = Program()
    by_schedule(program, "ec2:startInstances", own_machine(program).id)
    assert started(program, "preview") == []


def test_one_of_several_machines_that_is_elsewhere_is_enough():
    program = Program()
    own = own_machine(program)
    ids = {"InstanceIds": [own.outputs["id"], "i-0elsewhere"]}
    by_schedule(program, "ec2:startInstances", json.dumps(ids))
    assert started(program) == [ELSEWHERE]


@pytest.mark.parametrize(("tag", "known"), [("office", True), ("other", False)])
def test_a_tag_of_a_machine_of_the_stack_tells_it(tag, known):
    program = Program()
    own_machine(program, tags={"hours": "office"})
    targets = [{"key": "tag:hours", "values": [tag]}]
    program.add(ASSOCIATION, "x", name=DOCUMENT, targets=targets)
    assert started(program) == ([] if known else [ELSEWHERE])


def test_what_is_started_may_not_be_known_yet():
    program = Program()
    program.add(ASSOCIATION, "x", name=DOCUMENT, parameters={"InstanceId": UNKNOWN})
    assert started(program) == []
    assert observe(program.resources()).undecided


@pytest.mark.parametrize(
    ("name", "parameters", "reasons"),
    [
        ("AWS-RestartEC2Instance", {}, [ELSEWHERE]),
        ("AWS-StopEC2Instance", {}, []),
        ("AWS-StartRdsInstance:3", {}, ["it starts a database that it does not declare"]),
        (
            "AWS-StartStopAuroraCluster",
            {"Action": "Start"},
            ["it starts a database that it does not declare"],
        ),
        ("AWS-StartStopAuroraCluster", {"Action": "Stop"}, []),
    ],
)
@pytest.mark.parametrize("by_rule", [True, False])
def test_which_documents_start_something(by_rule, name, parameters, reasons):
    program = Program()
    if by_rule:
        arn = f"arn:aws:ssm:us-east-1::automation-definition/{name}"
        asked = json.dumps({key: [value] for key, value in parameters.items()})
        program.add(EVENT_TARGET, "x", rule="r", arn=arn, input=asked)
    else:
        program.add(ASSOCIATION, "x", name=name, parameters=parameters)
    assert started(program) == reasons
