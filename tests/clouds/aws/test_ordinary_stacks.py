"""What ordinary stacks hold, and is not to be refused."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

COPY = "aws:ec2/amiCopy:AmiCopy"
MACHINE = {"instanceType": "g6.xlarge", "rootBlockDevice": {"volumeSize": 100}}


@both
@pytest.mark.parametrize(
    ("copied", "data", "encrypted"),
    [
        ({"encrypted": True}, None, True),
        ({"encrypted": True}, [{"deviceName": "/dev/sdf", "volumeSize": 10}], False),
        ({"encrypted": False}, None, False),
        ({}, None, False),
    ],
)
def test_the_root_disk_of_a_copied_image_is_encrypted_as_the_copy_is(
    copied, data, encrypted, moment
):
    program = Program()
    copy = program.add(COPY, "i", sourceAmiId="ami-1", sourceAmiRegion="us-east-1", **copied)
    program.add("aws:ec2/instance:Instance", "m", ami=copy.id, ebsBlockDevices=data, **MACHINE)
    (group,) = observe(program.resources(moment)).groups
    judged = of_resources(program.resources(moment))

    assert group.safety.disks_encrypted is encrypted
    assert outcomes(judged, "price-unknown") == ["fine"]


@pytest.mark.parametrize(
    ("inputs", "machines"),
    [
        ({}, ("t3.medium",)),
        ({"amiType": "AL2023_x86_64_STANDARD"}, ("t3.medium",)),
        ({"instanceTypes": ["g6.xlarge"]}, ("g6.xlarge",)),
        ({"amiType": "AL2_x86_64_GPU"}, None),
    ],
)
def test_a_node_group_that_names_no_type_has_the_default_one(inputs, machines):
    program = Program()
    scaling = {"minSize": 1, "maxSize": 1, "desiredSize": 1}
    program.add("aws:eks/nodeGroup:NodeGroup", "n", scalingConfig=scaling, **inputs)
    groups = observe(program.resources()).groups

    assert [group.machines for group in groups] == ([machines] if machines else [])


ANSWER = {"type": "fixed-response", "fixedResponse": {"statusCode": "404"}}
FORWARD = {"type": "forward", "targetGroupArn": "arn"}


@pytest.mark.parametrize(("action", "outcome"), [(ANSWER, "fine"), (FORWARD, "violated")])
def test_a_plain_listener_that_only_answers_itself_serves_nobody_in_plain_text(action, outcome):
    program = Program()
    balancer = program.add("aws:lb/loadBalancer:LoadBalancer", "lb", internal=False)
    program.add(
        "aws:lb/listener:Listener",
        "l",
        loadBalancerArn=balancer.arn,
        port=80,
        protocol="HTTP",
        defaultActions=[action],
    )
    assert outcomes(of_resources(program.resources()), "front-tls") == [outcome]


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [("ForecastOnly", "fine"), ("ForecastAndScale", "violated"), (UNKNOWN, "not-knowable")],
)
def test_a_forecast_that_scales_nothing_raises_no_maximum(mode, outcome):
    program = Program()
    template = program.add("aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="g6.xlarge")
    group = program.add(
        "aws:autoscaling/group:Group", "g", maxSize=2, launchTemplate={"id": template.id}
    )
    forecast = {"maxCapacityBreachBehavior": "IncreaseMaxCapacity", "mode": mode}
    program.add(
        "aws:autoscaling/policy:Policy",
        "p",
        autoscalingGroupName=group.id,
        policyType="PredictiveScaling",
        predictiveScalingConfiguration=forecast,
    )
    assert outcomes(of_resources(program.resources()), "pool-maximum") == [outcome]


@pytest.mark.parametrize(
    ("action", "outcome"),
    [("ssmmessages:*", "fine"), ("ec2messages:*", "fine"), ("ssm:*", "violated")],
)
def test_the_channels_of_a_machine_s_agent_are_no_service_of_others(action, outcome):
    program = Program()
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    policy = json.dumps({"Statement": [statement]})
    program.add("aws:iam/policy:Policy", "p", policy=policy)
    assert outcomes(of_resources(program.resources()), "wildcard-policy") == [outcome]


@pytest.mark.parametrize(
    "token",
    [
        *("aws:sagemaker/studioLifecycleConfig:StudioLifecycleConfig", COPY),
        *("aws:dlm/lifecyclePolicy:LifecyclePolicy", "aws:cfg/recorder:Recorder"),
        *("aws:ebs/snapshotCopy:SnapshotCopy", "aws:sfn/activity:Activity"),
        *("local:index/file:File", "aws:ssoadmin/managedPolicyAttachment:ManagedPolicyAttachment"),
        "aws:elasticloadbalancingv2/targetGroup:TargetGroup",
    ],
)
def test_types_that_hold_no_machine_pass(token):
    program = Program()
    program.add(token, "it")
    assert outcomes(of_resources(program.resources()), "price-unknown") == ["fine"]


@pytest.mark.parametrize(
    ("namespace", "outcome"),
    [("ecs", "fine"), ("dynamodb", "fine"), ("ec2", "violated"), (UNKNOWN, "not-knowable")],
)
def test_a_scalable_target_may_raise_what_the_stack_has_but_a_fleet_of_spot_machines(
    namespace: Any, outcome: str
) -> None:
    program = Program()
    program.add("aws:ecs/service:Service", "s", name="llm", launchType="EC2")
    target = "aws:appautoscaling/target:Target"
    sizes = {"minCapacity": 1, "maxCapacity": 9}
    dimension = "dynamodb:table:ReadCapacityUnits"
    where = {"scalableDimension": dimension, "resourceId": "service/c/llm"}
    program.add(target, "t", serviceNamespace=namespace, **where, **sizes)
    assert outcomes(of_resources(program.resources()), "price-unknown") == [outcome]
