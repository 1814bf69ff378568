"""APIs, state machines, pipes and associations are judged by what they call."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program, Ref

INTEGRATION = "aws:apigateway/integration:Integration"
HTTP = "aws:apigatewayv2/integration:Integration"
REST = "aws:apigateway/restApi:RestApi"
REST_PUT = "aws:apigateway/restApiPut:RestApiPut"
SOURCE = "aws:appsync/dataSource:DataSource"
STATES = "aws:sfn/stateMachine:StateMachine"
PIPE = "aws:pipes/pipe:Pipe"
ASSOCIATION = "aws:ssm/association:Association"
WINDOW = "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask"
STATE = "aws:ec2transitgateway/instanceState:InstanceState"
REMEDIATION = "aws:cfg/remediationConfiguration:RemediationConfiguration"
DOCUMENT = "aws:ssm/document:Document"
EVENT_TARGET = "aws:cloudwatch/eventTarget:EventTarget"
SCHEDULE = "aws:scheduler/schedule:Schedule"
TASK, SCHEDULER = "arn:aws:states:::", "arn:aws:scheduler:::"
CALL = "arn:aws:apigateway:us-east-1:"
OWN = "arn:aws:states:us-east-1:1:stateMachine:own"


def body(uri: str) -> str:
    call = {"x-amazon-apigateway-integration": {"type": "aws", "uri": uri}}
    return json.dumps({"paths": {"/x": {"post": call}}})


def signed(service: str) -> dict[str, Any]:
    config = {"awsIamConfig": {"signingServiceName": service}}
    return {
        "endpoint": f"https://{service}.us-east-1.amazonaws.com",
        "authorizationConfig": config,
    }


def states(*resources: Any, **more: Any) -> str:
    tasks = {f"T{n}": {"Type": "Task", "Resource": each} for n, each in enumerate(resources)}
    branches = {"P": {"Type": "Parallel", "Branches": [{"States": tasks}]}}
    return json.dumps({"States": branches | more})


def calling(url: str) -> str:
    """A state machine that calls a URL."""
    task = {"Type": "Task", "Resource": "arn:aws:states:::http:invoke"}
    return json.dumps({"States": {"T": {**task, "Parameters": {"ApiEndpoint": url}}}})


STARTS = [
    (STATE, {"instanceId": "i-1", "state": "running"}),
    (INTEGRATION, {"type": "AWS", "uri": f"{CALL}ec2:action/RunInstances&MinCount=1"}),
    (INTEGRATION, {"type": "AWS", "uri": f"{CALL}sagemaker:action/CreateTrainingJob"}),
    (INTEGRATION, {"type": "AWS", "uri": f"{CALL}batch:path/v1/submitjob"}),
    (INTEGRATION, {"type": "AWS", "uri": UNKNOWN}),
    (REST, {"body": body(f"{CALL}ec2:action/RunInstances")}),
    (REST_PUT, {"body": body(f"{CALL}ec2:action/RunInstances")}),
    (REST, {"body": "integrationSubtype: StepFunctions-StartExecution"}),
    (HTTP, {"integrationSubtype": "StepFunctions-StartExecution"}),
    (
        HTTP,
        {
            "integrationSubtype": "StepFunctions-StartExecution",
            "requestParameters": {"StateMachineArn": "arn:aws:states:us-east-1:1:stateMachine:x"},
        },
    ),
    (SOURCE, {"type": "HTTP", "httpConfig": signed("ec2")}),
    (STATES, {"definition": states("arn:aws:states:::aws-sdk:ec2:runInstances")}),
    (STATES, {"definition": states("arn:aws:states:::sagemaker:createTrainingJob.sync")}),
    (STATES, {"definition": states("arn:aws:states:::states:startExecution.sync:2")}),
    (STATES, {"definition": states("arn:aws:states:::lambda:invoke", "arn:aws:states:::x")}),
    (STATES, {"definition": "no JSON"}),
    (STATES, {"definition": states("arn:aws:states:::http:invoke")}),
    (STATES, {"definition": calling("https://api.example.com/start")}),
    (STATES, {"definition": states("arn:aws:states:::aws-sdk:athena:createCapacityReservation")}),
    (STATES, {"definition": states("arn:aws:states:::aws-sdk:lambda:createCapacityProvider")}),
    (PIPE, {"target": "arn:aws:batch:us-east-1:1:job-queue/q"}),
    (PIPE, {"target": "arn:aws:lambda:us-east-1:1:function:f", "enrichment": UNKNOWN}),
    (ASSOCIATION, {"name": "AWS-CreateManagedLinuxInstance"}),
    (WINDOW, {"taskType": "AUTOMATION", "taskArn": "Mine"}),
    (REMEDIATION, {"targetId": "AWS-CreateManagedLinuxInstance", "automatic": True}),
    (REMEDIATION, {"targetId": "Mine", "automatic": "true"}),
    (WINDOW, {"taskType": "STEP_FUNCTIONS", "taskArn": OWN.replace("own", "x")}),
]

FINE = [
    (STATES, {"definition": calling("https://hooks.slack.com/services/a/b")}),
    (STATES, {"definition": states("arn:aws:states:::athena:startQueryExecution.sync")}),
    (INTEGRATION, {"type": "AWS_PROXY", "uri": UNKNOWN}),
    (INTEGRATION, {"type": "MOCK"}),
    (INTEGRATION, {"type": "AWS", "uri": f"{CALL}lambda:path/2015-03-31/functions/f/invocations"}),
    (INTEGRATION, {"type": "AWS", "uri": f"{CALL}sqs:path/1/q"}),
    (INTEGRATION, {"type": "AWS", "uri": f"{CALL}ec2:action/DescribeInstances"}),
    (REST, {"body": body(f"{CALL}lambda:path/2015-03-31/functions/f/invocations")}),
    (REST_PUT, {"body": body(f"{CALL}sqs:path/1/q")}),
    (REST, {"name": "x"}),
    (HTTP, {"integrationType": "AWS_PROXY", "integrationUri": "arn:aws:lambda:x"}),
    (HTTP, {"integrationSubtype": "SQS-SendMessage"}),
    (
        HTTP,
        {
            "integrationSubtype": "StepFunctions-StartExecution",
            "requestParameters": {"StateMachineArn": OWN},
        },
    ),
    (SOURCE, {"type": "AWS_LAMBDA"}),
    (SOURCE, {"type": "HTTP", "httpConfig": {"endpoint": "https://example.com"}}),
    (SOURCE, {"type": "HTTP", "httpConfig": signed("bedrock-runtime")}),
    (
        STATES,
        {
            "definition": states(
                "arn:aws:states:::lambda:invoke.waitForTaskToken",
                "arn:aws:lambda:us-east-1:1:function:f",
                "arn:aws:states:us-east-1:1:activity:a",
                "arn:aws:states:::aws-sdk:ec2:stopInstances",
                "arn:aws:states:::dynamodb:putItem",
                T={
                    "Type": "Task",
                    "Resource": "arn:aws:states:::states:startExecution",
                    "Parameters": {"StateMachineArn": OWN},
                },
            )
        },
    ),
    (PIPE, {"source": "arn:aws:sqs:x", "target": "arn:aws:lambda:us-east-1:1:function:f"}),
    (PIPE, {"target": OWN}),
    (STATE, {"instanceId": "i-1", "state": "stopped"}),
    (ASSOCIATION, {"name": "AWS-RunPatchBaseline"}),
    (ASSOCIATION, {"name": "install-agent"}),
    (WINDOW, {"taskType": "RUN_COMMAND", "taskArn": "Mine"}),
    (WINDOW, {"taskType": "AUTOMATION", "taskArn": "AWS-StopEC2Instance"}),
    (WINDOW, {"taskType": "STEP_FUNCTIONS", "taskArn": OWN}),
    (REMEDIATION, {"targetId": "AWS-StopEC2Instance", "automatic": True}),
    (REMEDIATION, {"targetId": "install-agent", "automatic": True}),
    (REMEDIATION, {"targetId": "Mine"}),
]


def beside(token: str, inputs: dict[str, Any]) -> Program:
    """A resource beside a state machine that calls nothing, and a document of commands."""
    program = Program()
    program.add(token, "it", **inputs)
    program.add(STATES, "own", definition='{"States": {}}', name=OWN)
    program.add(DOCUMENT, "commands", documentType="Command", name="install-agent", content="{}")
    return program


def test_the_state_of_a_machine_of_the_stack_counts_at_that_machine():
    program = Program()
    machine = program.add("aws:ec2/instance:Instance", "one", instanceType="g6.xlarge")
    program.add(STATE, "on", instanceId=Ref(machine.urn, "id"), state="running")

    rows = observe(program.resources()).not_judged
    assert [row.may_start_machines for row in rows] == [False]


@pytest.mark.parametrize(
    ("called", "starts"),
    [
        ("aws:sagemaker/endpoint:Endpoint", False),
        ("aws:lambda/function:Function", False),
        ("aws:sagemaker/pipeline:Pipeline", True),
    ],
)
def test_an_integration_counts_by_what_its_unknown_address_comes_from(called, starts):
    program = Program()
    target = program.add(called, "called")
    program.add(INTEGRATION, "it", type="AWS", uri=Ref(target.urn, "name"))

    rows = observe(program.resources("preview")).not_judged
    own = [row.may_start_machines for row in rows if row.type == INTEGRATION]
    assert any(own) is starts


@pytest.mark.parametrize(("token", "inputs"), STARTS)
def test_what_calls_a_service_that_starts_machines_is_not_judged(token, inputs):
    resources = beside(token, inputs).resources()
    rows = [row for row in observe(resources).not_judged if row.may_start_machines]

    assert [row.type for row in rows] == [token]
    assert outcomes(of_resources(resources), "price-unknown") == ["violated"]


@pytest.mark.parametrize(("token", "inputs"), FINE)
def test_what_calls_others_is_fine_where_machines_are_counted(token, inputs):
    resources = beside(token, inputs).resources()

    assert not any(row.may_start_machines for row in observe(resources).not_judged)
    assert outcomes(of_resources(resources), "price-unknown") == ["fine"]


def test_a_definition_that_an_update_writes_is_not_decided_before_it():
    program = Program()
    program.add(STATES, "it", definition=UNKNOWN)
    judged = of_resources(program.resources("preview"))

    assert outcomes(judged, "price-unknown") == ["not-knowable"]


QUEUE = "arn:aws:batch:us-east-1:1:job-queue/own"
SUBMIT = {"JobName": "it", "JobDefinition": "it", "JobQueue": QUEUE}
SUBMITS = states(
    T={"Type": "Task", "Resource": f"{TASK}batch:submitJob.sync", "Parameters": SUBMIT}
)
JOB = {"jobName": "it", "jobDefinition": "it"}


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (STATES, {"definition": SUBMITS}),
        (EVENT_TARGET, {"rule": "nightly", "arn": QUEUE, "batchTarget": JOB}),
        (
            SCHEDULE,
            {
                "target": {
                    "arn": f"{SCHEDULER}aws-sdk:batch:submitJob",
                    "input": json.dumps(SUBMIT),
                }
            },
        ),
    ],
)
def test_a_job_of_the_stack_s_own_queue_is_within_what_its_environment_may_have(
    token, inputs, own
):
    program = Program()
    program.add(token, "it", **inputs)
    if own:
        program.add("aws:batch/jobQueue:JobQueue", "q", name=QUEUE)
    rows = [row.type for row in observe(program.resources()).not_judged if row.may_start_machines]

    assert rows == ([] if own else [token])


ENVIRONMENT = "aws:batch/computeEnvironment:ComputeEnvironment"
SERVICE = "aws:batch/serviceEnvironment:ServiceEnvironment"


@both
@pytest.mark.parametrize(
    ("order", "place", "kind"),
    [
        ("computeEnvironmentOrders", "computeEnvironment", ENVIRONMENT),
        ("serviceEnvironmentOrders", "serviceEnvironment", SERVICE),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_a_queue_counts_where_its_environment_is_of_the_stack(own, order, place, kind, moment):
    program = Program()
    elsewhere = "arn:aws:batch:us-east-1:123456789012:compute-environment/theirs"
    named = program.add(kind, "e").arn if own else elsewhere
    orders = [{"order": 1, place: named}]
    queue = program.add("aws:batch/jobQueue:JobQueue", "q", **{order: orders})
    program.add(EVENT_TARGET, "it", rule="nightly", arn=queue.arn, batchTarget=JOB)
    rows = observe(program.resources(moment)).not_judged
    told = [row.type for row in rows if row.may_start_machines]

    assert (EVENT_TARGET in told) is not own


JOBS = "arn:aws:batch:us-east-1:123456789012:job-definition/train:*"


@pytest.mark.parametrize("beside", [[], [JOBS], ["arn:aws:batch:*:*:job-definition/*"]])
def test_the_right_to_submit_to_a_queue_counts_by_its_environment(beside):
    for own in (True, False):
        program = Program()
        place = program.add(ENVIRONMENT, "e").arn if own else "theirs"
        orders = [{"order": 1, "computeEnvironment": place}]
        queue = program.add(
            "aws:batch/jobQueue:JobQueue", "q", name="q", computeEnvironmentOrders=orders
        )
        role = program.add("aws:iam/role:Role", "r")
        resources = [queue.outputs["arn"], *beside]
        rights = {"Effect": "Allow", "Action": "batch:SubmitJob", "Resource": resources}
        policy = json.dumps({"Statement": [rights]})
        program.add("aws:iam/rolePolicy:RolePolicy", "p", role=role.id, policy=policy)
        program.add("aws:lambda/function:Function", "f", role=role.arn)
        told = [row.type for row in observe(program.resources()).not_judged]

        assert ("aws:lambda/function:Function" in told) is not own
