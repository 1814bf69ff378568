"""The rule idle-stop on what strangers write for three clouds."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases import gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.hygiene import of_group, policy, pool, said_of
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


def lone(**inputs: Any) -> tuple[Program, Any]:
    program = Program()
    machine = program.add(
        "aws:ec2/instance:Instance", "box", ami="ami-1", instanceType="g6.xlarge", **inputs
    )
    return program, machine


def watch(program: Program, of: Any, action: Any, **more: Any) -> Any:
    return program.add(
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        "idle",
        **{
            "comparisonOperator": "LessThanThreshold",
            "dimensions": {"InstanceId": of},
            "alarmActions": [action],
            **more,
        },
    )


STOP = "arn:aws:automate:us-east-1:ec2:stop"


@both
@pytest.mark.parametrize(
    ("action", "outcome"),
    [
        (STOP, "fine"),
        ("arn:aws:automate:us-east-1:ec2:terminate", "fine"),
        ("arn:aws:automate:us-east-1:ec2:reboot", "violated"),
        (UNKNOWN, "not-knowable"),
    ],
)
def test_an_alarm_that_stops_its_machine(action, outcome, moment):
    program, machine = lone()
    watch(program, machine.id, action)
    assert said_of(program, "idle-stop", moment) == {outcome}


@both
def test_an_alarm_about_too_much_work_or_about_another_machine_stops_nothing(moment):
    program, machine = lone()
    assert said_of(program, "idle-stop", moment) == {"violated"}
    alarm = watch(program, machine.id, STOP, comparisonOperator="GreaterThanThreshold")
    assert said_of(program, "idle-stop", moment) == {"violated"}
    other = program.add("aws:ec2/instance:Instance", "other", instanceType="g6.xlarge")
    program.change(
        alarm, comparisonOperator="LessThanThreshold", dimensions={"InstanceId": other.id}
    )
    judged = findings(of_resources(program.resources(moment)), "idle-stop")
    assert {finding.subject: finding.outcome for finding in judged} == {
        machine.urn: "violated",
        other.urn: "fine",
    }


@pytest.mark.parametrize(
    ("action", "outcome"), [(STOP, "not-knowable"), ("arn:aws:sns:us-east-1:1:mail", "violated")]
)
def test_an_alarm_on_a_metric_that_names_no_machine_may_be_about_any(action, outcome):
    program, _ = lone()
    watch(program, "by hand", action)
    assert said_of(program, "idle-stop", "created") == {outcome}


@both
def test_an_alarm_whose_queries_name_the_machine(moment):
    program, machine = lone()
    query = {"metric": {"dimensions": {"InstanceId": machine.id}}}
    watch(program, None, STOP, dimensions=None, metricQueries=[query])
    assert said_of(program, "idle-stop", moment) == {"fine"}


@both
def test_an_alarm_that_empties_its_scaling_group(moment):
    program, scaling = pool(maxSize=1)
    step = policy(program, scaling, policyType="SimpleScaling", scalingAdjustment=0)
    watch(program, scaling.out("name"), step.arn)
    usage = Usage(purpose={"servers": "training"})
    judged = of_resources(program.resources(moment), usage=usage)
    assert outcomes(judged, "idle-stop") == ["fine"]


@both
@pytest.mark.parametrize(
    ("rights", "outcome"), [("ec2:StopInstances", "fine"), ("s3:GetObject", "violated")]
)
def test_an_alarm_that_calls_a_function(rights, outcome, moment):
    program, machine = lone()
    topic = program.add("aws:sns/topic:Topic", "calls")
    watch(program, machine.id, topic.arn)
    assert said_of(program, "idle-stop", moment) == {"violated"}
    role = program.add("aws:iam/role:Role", "stops", assumeRolePolicy="{}")
    program.add(
        "aws:iam/rolePolicy:RolePolicy",
        "may",
        role=role.out("name"),
        policy=f'{{"Statement": [{{"Effect": "Allow", "Action": "{rights}", "Resource": "*"}}]}}',
    )
    function = program.add("aws:lambda/function:Function", "stop", role=role.arn)
    program.add(
        "aws:sns/topicSubscription:TopicSubscription",
        "hears",
        topic=topic.arn,
        protocol="lambda",
        endpoint=function.arn,
    )
    assert said_of(program, "idle-stop", moment) == {"violated"}
    program.add(
        "aws:lambda/permission:Permission",
        "called",
        function=function.out("name"),
        principal="sns.amazonaws.com",
        action="lambda:InvokeFunction",
    )
    assert said_of(program, "idle-stop", moment) == {outcome}


@pytest.mark.parametrize(
    "usage",
    [
        Usage(purpose={"box": "inference"}),
        Usage(hours={"box": 3}),
    ],
)
def test_a_server_and_a_run_with_an_end_may_go_on(usage):
    program, _ = lone()
    assert outcomes(of_resources(program.resources(), usage=usage), "idle-stop") == [
        "not-applicable"
    ]


@pytest.mark.parametrize("schedule", [{"vmStopSchedule": {"schedule": "0 19 * * *"}}, {}])
def test_a_schedule_of_google_cloud(schedule):
    program = GcpProgram()
    nightly = program.add(
        "compute/resourcePolicy:ResourcePolicy",
        "nightly",
        instanceSchedulePolicy={"timeZone": "UTC", **schedule},
    )
    program.add(
        "compute/instance:Instance",
        "box",
        machineType="g2-standard-4",
        zone="us-central1-a",
        resourcePolicies=nightly.id,
    )
    assert said_of(program, "idle-stop", "created") == {"fine" if schedule else "violated"}
    assert said_of(gcp_stacks.open_machine(), "idle-stop", "created") == {"violated"}


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"taskType": "ComputeVmShutdownTask", "status": "Enabled"}, "fine"),
        ({"taskType": "ComputeVmShutdownTask", "status": "Disabled"}, "violated"),
        ({"taskType": "LabVmsStartupTask"}, "violated"),
    ],
)
def test_a_shutdown_schedule_of_azure(inputs, outcome):
    program = AzureProgram()
    machine = program.add(
        "azure-native:compute:VirtualMachine",
        "box",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
    )
    assert said_of(program, "idle-stop", "created") == {"violated"}
    program.add(
        "azure-native:devtestlab:GlobalSchedule", "night", targetResourceId=machine.id, **inputs
    )
    assert said_of(program, "idle-stop", "created") == {outcome}


@both
@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"threshold": 5, "namespace": "AWS/EC2"}, "fine"),
        ({"threshold": 5, "namespace": "CWAgent"}, "fine"),
        ({"threshold": 0, "comparisonOperator": "LessThanOrEqualToThreshold"}, "fine"),
        ({"actionsEnabled": UNKNOWN}, "fine"),
        ({"actionsEnabled": False}, "violated"),
        ({"threshold": 0}, "violated"),
        ({"namespace": "AWS/S3"}, "violated"),
        ({"alarmActions": ["arn:aws:automate:eu-west-1:ec2:stop"]}, "violated"),
    ],
)
def test_an_alarm_that_can_take_no_action_stops_nothing(more, outcome, moment):
    program, machine = lone()
    watch(program, machine.id, STOP, **more)
    assert said_of(program, "idle-stop", moment) == {outcome}


def test_only_machines_that_people_work_on_have_to_stop():
    assert of_group("idle-stop", stops_idle=None).outcome == "not-applicable"


@pytest.mark.parametrize(
    ("fact", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_a_machine_stops_when_idle(fact, outcome):
    finding = of_group("idle-stop", stops_idle=fact)
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_without_rows_idle_stop_does_not_apply():
    (finding,) = findings(plan(), "idle-stop")
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")
