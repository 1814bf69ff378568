"""Ends, maximums and machines that nobody sees, on raw resources of strangers on three clouds."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from types import MappingProxyType

import pytest

from gpuinfra.clouds import without_machines
from gpuinfra.model import UNKNOWN, Caps, Group, Resource, Usage, faults_of
from gpuinfra.today import today
from tests.rules.cases import azure_stacks, gcp_stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.program import Handle, Program

NIGHT = {"vmStopSchedule": {"schedule": "0 20 * * *"}}
SOON = today() + timedelta(days=2)

both = pytest.mark.parametrize("moment", ["preview", "created"])
TRAINS = Usage(purpose={"workers": "training"})

GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SCHEDULE = "aws:autoscaling/schedule:Schedule"
CALENDAR = "aws:scheduler/schedule:Schedule"
FLEET = "aws:ec2/fleet:Fleet"
SPOT_FLEET = "aws:ec2/spotFleetRequest:SpotFleetRequest"
POLICY = "aws:autoscaling/policy:Policy"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"


def scaling(program: Program, **inputs) -> Handle:
    template = program.add(TEMPLATE, "node", imageId="ami-1", instanceType="g6.xlarge")
    given = {"minSize": 1, "maxSize": 4, "launchTemplate": {"id": template.id}, **inputs}
    return program.add(GROUP, "workers", **given)


def only(program: Program, moment="created") -> Group:
    (group,) = of_resources(program.resources(moment), usage=TRAINS).groups
    return group


def time_limit(program: Program, moment="created") -> str:
    judged = of_resources(program.resources(moment), usage=TRAINS)
    return findings(judged, "time-limit")[0].outcome


@both
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"maxSize": 0, "minSize": 0, "desiredCapacity": 0}, "fine"),
        ({"minSize": 0, "desiredCapacity": 0, "recurrence": "0 20 * * *"}, "fine"),
        ({"desiredCapacity": 0, "recurrence": "0 20 * * *"}, "violated"),
        ({"maxSize": -1, "desiredCapacity": 2}, "violated"),
        ({"maxSize": "-1", "desiredCapacity": -1.0}, "violated"),
        ({"minSize": 0, "maxSize": -1, "desiredCapacity": UNKNOWN}, "not-knowable"),
        ({"minSize": UNKNOWN, "desiredCapacity": 0}, "not-knowable"),
    ],
)
def test_a_schedule_of_a_scaling_group_that_leaves_none_ends_it(inputs, outcome, moment):
    program = Program()
    group = scaling(program)
    assert time_limit(program, moment) == "violated"
    program.add(
        SCHEDULE,
        "night",
        autoscalingGroupName=group.out("name"),
        scheduledActionName="n",
        **inputs,
    )
    assert time_limit(program, moment) == outcome
    assert only(program, moment).maximum == 4


def sdk(action: str) -> str:
    return f"arn:aws:scheduler:::aws-sdk:{action}"


NAME = "workers-1a2b3c"


@pytest.mark.parametrize(
    ("target", "more", "outcome"),
    [
        (
            {"arn": sdk("autoscaling:deleteAutoScalingGroup"), "input": f'{{"A": "{NAME}"}}'},
            {},
            "fine",
        ),
        (
            {"arn": sdk("autoscaling:deleteAutoScalingGroup"), "input": f'{{"A": "{NAME}"}}'},
            {"state": "DISABLED"},
            "violated",
        ),
        (
            {"arn": sdk("autoscaling:deleteAutoScalingGroup"), "input": '{"A": "other"}'},
            {},
            "violated",
        ),
        (
            {
                "arn": sdk("autoscaling:updateAutoScalingGroup"),
                "input": json.dumps({"AutoScalingGroupName": NAME, "MaxSize": 0, "MinSize": 0}),
            },
            {},
            "fine",
        ),
        (
            {
                "arn": sdk("autoscaling:setDesiredCapacity"),
                "input": json.dumps({"AutoScalingGroupName": NAME, "DesiredCapacity": 3}),
            },
            {},
            "violated",
        ),
        (
            {"arn": sdk("autoscaling:setDesiredCapacity"), "input": f'"{NAME}" and no JSON'},
            {},
            "violated",
        ),
        ({"arn": sdk("ec2:startInstances"), "input": f'["{NAME}"]'}, {}, "violated"),
        ({"arn": sdk("ec2:stopInstances"), "input": UNKNOWN}, {}, "not-knowable"),
        ({"arn": "arn:aws:lambda:us-east-1:1:function:stop", "input": "{}"}, {}, "not-knowable"),
        ({"arn": "arn:aws:sqs:us-east-1:1:queue", "input": "{}"}, {}, "violated"),
        ({"arn": UNKNOWN}, {}, "not-knowable"),
    ],
)
def test_a_schedule_of_eventbridge_that_takes_the_machines_down_ends_them(target, more, outcome):
    program = Program()
    scaling(program)
    program.add(CALENDAR, "end", scheduleExpression=f"at({SOON}T00:00:00)", target=target, **more)
    assert time_limit(program) == outcome


@pytest.mark.parametrize(
    ("action", "ends"),
    [("autoscaling:deleteAutoScalingGroup", True), ("autoscaling:setDesiredCapacity", UNKNOWN)],
)
def test_before_its_creation_a_group_is_found_by_what_the_schedule_depends_on(action, ends):
    program = Program()
    group = scaling(program)
    target = {"arn": sdk(action), "input": group.out("name")}
    program.add(CALENDAR, "end", scheduleExpression=f"at({SOON}T00:00:00)", target=target)
    assert only(program, "preview").lifecycle.ends is ends
    other = Program()
    scaling(other)
    third = other.add(GROUP, "others", maxSize=0, launchTemplate={"id": "lt-1"})
    target = {"arn": sdk(action), "input": third.out("name")}
    other.add(CALENDAR, "end", scheduleExpression=f"at({SOON}T00:00:00)", target=target)
    assert only(other, "preview").lifecycle.ends is UNKNOWN


def fleet(program: Program, token: str = FLEET, **inputs) -> Handle:
    template = program.add(TEMPLATE, "node", imageId="ami-1", instanceType="g6.xlarge")
    target = {"defaultTargetCapacityType": "spot", "totalTargetCapacity": 4}
    given = {
        "launchTemplateConfigs": [
            {"launchTemplateSpecification": {"launchTemplateId": template.id, "version": "1"}}
        ],
        **({"targetCapacitySpecification": target} if token == FLEET else {"targetCapacity": 4}),
        **inputs,
    }
    return program.add(token, "workers", **given)


@pytest.mark.parametrize("token", [FLEET, SPOT_FLEET])
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"validUntil": f"{SOON}T00:00:00Z", "terminateInstancesWithExpiration": True}, "fine"),
        ({"validUntil": f"{SOON}T00:00:00Z"}, "violated"),
        (
            {"validUntil": "2099-01-01T00:00:00Z", "terminateInstancesWithExpiration": True},
            "violated",
        ),
        ({"terminateInstancesWithExpiration": True}, "violated"),
        ({"validUntil": UNKNOWN, "terminateInstancesWithExpiration": True}, "not-knowable"),
        (
            {"validUntil": f"{SOON}T00:00:00Z", "terminateInstancesWithExpiration": UNKNOWN},
            "not-knowable",
        ),
    ],
)
def test_a_fleet_that_ends_its_machines_with_itself(inputs, outcome, token):
    program = Program()
    fleet(program, token, **inputs)
    assert time_limit(program) == outcome


@both
@pytest.mark.parametrize(
    ("behavior", "outcome"),
    [("IncreaseMaxCapacity", "violated"), ("HonorMaxCapacity", "fine"), (UNKNOWN, "not-knowable")],
)
def test_a_forecast_that_may_raise_the_maximum(behavior, outcome, moment):
    program = Program()
    group = scaling(program)
    assert outcomes(of_resources(program.resources(moment)), "pool-maximum") == ["fine"]
    program.add(
        POLICY,
        "forecast",
        autoscalingGroupName=group.out("name"),
        policyType="PredictiveScaling",
        predictiveScalingConfiguration={"maxCapacityBreachBehavior": behavior},
    )
    (finding,) = findings(of_resources(program.resources(moment)), "pool-maximum")
    assert (finding.outcome, finding.subject) == (outcome, group.urn)
    if outcome == "violated":
        assert "the scaling policy forecast may raise the maximum" in finding.message


RETAINS = {"retentionTriggers": {"terminateHookAbandon": "retain"}}
ENDING = "autoscaling:EC2_INSTANCE_TERMINATING"


@both
@pytest.mark.parametrize(
    ("policy", "transition", "outcome"),
    [
        (RETAINS, ENDING, "violated"),
        ({"retentionTriggers": {"terminateHookAbandon": UNKNOWN}}, ENDING, "not-knowable"),
        (RETAINS, "autoscaling:EC2_INSTANCE_LAUNCHING", "fine"),
        (RETAINS, None, "fine"),
        ({"retentionTriggers": {"terminateHookAbandon": "terminate"}}, ENDING, "fine"),
    ],
)
def test_a_group_that_retains_machines_whose_hook_is_abandoned(
    policy, transition, outcome, moment
):
    program = Program()
    group = scaling(program, instanceLifecyclePolicy=policy)
    if transition is not None:
        name = group.out("name")
        program.add(HOOK, "last", autoscalingGroupName=name, lifecycleTransition=transition)
    assert outcomes(of_resources(program.resources(moment)), "pool-maximum") == [outcome]


def test_a_hook_of_the_group_itself_retains_machines_too():
    program = Program()
    hooks = [{"name": "last", "lifecycleTransition": ENDING}]
    scaling(program, instanceLifecyclePolicy=RETAINS, initialLifecycleHooks=hooks)
    (finding,) = findings(of_resources(program.resources()), "pool-maximum")
    assert "terminate_hook_abandon" in finding.message


@pytest.mark.parametrize(
    ("strategy", "outcome"),
    [("launch", "violated"), ("launch-before-terminate", "fine"), (UNKNOWN, "not-knowable")],
)
@pytest.mark.parametrize("token", [FLEET, SPOT_FLEET])
def test_a_fleet_that_leaves_machines_at_risk_beside_the_new_ones(strategy, outcome, token):
    risk = {"capacityRebalance": {"replacementStrategy": strategy}}
    inputs = {"spotOptions": {"maintenanceStrategies": risk}}
    if token == SPOT_FLEET:
        inputs = {"spotMaintenanceStrategies": risk}
    program = Program()
    fleet(program, token, **inputs)
    (finding,) = findings(of_resources(program.resources()), "pool-maximum")
    assert finding.outcome == outcome
    if outcome == "violated":
        assert "launch-before-terminate" in finding.message


def test_a_size_that_is_not_known_is_neither_counted_nor_capped():
    program = Program()
    scaling(program, maxSize=UNKNOWN)
    judged = of_resources(program.resources())
    assert outcomes(judged, "pool-maximum") == ["not-knowable"]
    assert set(outcomes(judged, "price-unknown")) == {"violated"}


def instance(given: Mapping[str, object] = MappingProxyType({}), **scheduling) -> GcpProgram:
    program = GcpProgram()
    subnet = gcp_stacks.network(program)
    program.add(
        "compute/instance:Instance",
        "workers",
        zone="us-central1-a",
        machineType="g2-standard-8",
        networkInterfaces=[{"subnetwork": subnet.link}],
        scheduling={"onHostMaintenance": "TERMINATE", **scheduling},
        **given,
    )
    return program


@pytest.mark.parametrize(
    ("scheduling", "outcome"),
    [
        ({}, "violated"),
        ({"maxRunDuration": {"seconds": 3600}, "instanceTerminationAction": "STOP"}, "fine"),
        ({"maxRunDuration": {"seconds": UNKNOWN}}, "not-knowable"),
        ({"maxRunDuration": UNKNOWN}, "not-knowable"),
        ({"terminationTime": f"{SOON}T00:00:00Z"}, "fine"),
        ({"terminationTime": "2099-01-01T00:00:00Z"}, "violated"),
        ({"terminationTime": "2020-01-01T00:00:00Z"}, "violated"),
        ({"maxRunDuration": {"seconds": 121 * 86_400}}, "violated"),
        ({"provisioningModel": "RESERVATION_BOUND"}, "not-knowable"),
    ],
)
def test_a_machine_of_google_cloud_ends_by_its_scheduling(scheduling, outcome):
    assert time_limit(instance(**scheduling)) == outcome


@both
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ({"instanceSchedulePolicy": {"vmStopSchedule": {"schedule": "0 20 * * *"}}}, "fine"),
        ({"instanceSchedulePolicy": {"vmStopSchedule": {"schedule": "0 0 30 2 *"}}}, "violated"),
        ({"instanceSchedulePolicy": {"vmStopSchedule": {"schedule": "0 0 28 2 *"}}}, "fine"),
        ({"instanceSchedulePolicy": {"vmStartSchedule": {"schedule": "0 8 * * *"}}}, "violated"),
        ({"instanceSchedulePolicy": {**NIGHT, "startTime": "2099-01-01T00:00:00Z"}}, "violated"),
        ({"instanceSchedulePolicy": {**NIGHT, "expirationTime": "2020-01-01T0:00Z"}}, "violated"),
        ({"groupPlacementPolicy": {"collocation": "COLLOCATED"}}, "violated"),
        ({"instanceSchedulePolicy": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_machine_of_google_cloud_ends_by_a_schedule(policy, outcome, moment):
    program = instance()
    made = program.add("compute/resourcePolicy:ResourcePolicy", "night", **policy)
    (machine,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.change(machine, resourcePolicies=made.id)
    assert time_limit(program, moment) == outcome


def test_a_schedule_from_elsewhere_may_end_it():
    program = instance()
    (machine,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.change(machine, resourcePolicies="projects/p/regions/r/resourcePolicies/theirs")
    assert time_limit(program) == "not-knowable"


@pytest.mark.parametrize(
    ("more", "outcome"), [({}, "not-knowable"), ({"maxRunDuration": "3600s"}, "fine")]
)
def test_nodes_of_gke_end_by_their_run_duration(more, outcome):
    node = {"machineType": "a2-highgpu-1g", **more}
    judged = of_resources(gcp_stacks.gke({"nodeConfig": node, "nodeCount": 1}).resources())
    assert outcomes(judged, "time-limit") == [outcome]


def machine(**inputs) -> AzureProgram:
    program = AzureProgram()
    program.add(
        "azure-native:compute:VirtualMachine",
        "workers",
        hardwareProfile={"vmSize": "Standard_NC4as_T4_v3"},
        **inputs,
    )
    return program


@both
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"taskType": "ComputeVmShutdownTask"}, "fine"),
        ({"taskType": "ComputeVmShutdownTask", "status": "Enabled"}, "fine"),
        ({"taskType": "ComputeVmShutdownTask", "status": "Disabled"}, "violated"),
        ({"taskType": "ComputeVmShutdownTask", "status": UNKNOWN}, "not-knowable"),
        ({"taskType": "LabVmsStartupTask"}, "violated"),
    ],
)
def test_a_machine_of_azure_ends_by_a_shutdown_schedule(inputs, outcome, moment):
    program = machine()
    assert time_limit(program, moment) == "violated"
    (own,) = (handle for handle in program.handles.values() if handle.name == "workers")
    program.add(
        "azure-native:devtestlab:GlobalSchedule", "night", targetResourceId=own.id, **inputs
    )
    assert time_limit(program, moment) == outcome
    assert of_resources(program.resources(moment)).not_judged == ()


@pytest.mark.parametrize(
    ("action", "outcome"), [("Deallocate", "not-knowable"), ("Start", "violated")]
)
def test_a_scheduled_action_may_be_for_any_machine(action, outcome):
    program = machine()
    program.add("azure-native:computeschedule:ScheduledAction", "night", actionType=action)
    assert time_limit(program) == outcome


@pytest.mark.parametrize(
    ("profile", "ends"),
    [
        ({"recurrence": {"frequency": "Week"}, "capacity": {"maximum": "0"}}, True),
        ({"fixedDate": {"end": f"{SOON}"}, "capacity": {"maximum": "0"}}, True),
        ({"fixedDate": {"end": "2020-01-01"}, "capacity": {"maximum": "0"}}, False),
        ({"fixedDate": {"start": "2099-01-01"}, "capacity": {"maximum": "0"}}, False),
        ({"recurrence": {"frequency": "Week"}, "capacity": {"maximum": "1"}}, False),
        ({"capacity": {"maximum": "0"}}, False),
        ({"recurrence": UNKNOWN, "capacity": {"maximum": "0"}}, UNKNOWN),
        ({"recurrence": {}, "capacity": {"maximum": UNKNOWN}}, UNKNOWN),
    ],
)
def test_a_scale_set_ends_by_a_profile_that_leaves_none(profile, ends):
    program, _, setting = azure_stacks.pool()
    assert of_resources(program.resources()).groups[0].lifecycle.ends is False
    program.change(setting, profiles=[*setting.inputs["profiles"], profile])
    assert of_resources(program.resources()).groups[0].lifecycle.ends is ends


UNSEEN = without_machines._hidden()


@pytest.mark.parametrize("token", UNSEEN)
def test_what_starts_machines_unseen_is_not_judged_and_has_no_price(token):
    program = Program()
    hidden_machine = program.add(token, "hidden")
    judged = of_resources(program.resources())
    (missing,) = judged.not_judged
    assert (missing.subject, missing.type) == (hidden_machine.urn, token)
    assert missing.reason == UNSEEN[token]
    assert missing.reason != "unknown machine type"
    (finding,) = findings(judged, "price-unknown")
    assert (finding.outcome, finding.subject) == ("violated", hidden_machine.urn)


@pytest.mark.parametrize("enabled", [True, UNKNOWN])
def test_a_cluster_that_makes_pools_by_itself_is_not_judged(enabled):
    google = gcp_stacks.gke(clusterAutoscaling={"enabled": enabled})
    (missing,) = of_resources(google.resources()).not_judged
    assert missing.reason.startswith("node auto-provisioning may create node pools beyond any")
    inside = gcp_stacks.gke(clusterAutoscaling={"enabled": enabled}, removeDefaultNodePool=False)
    (missing,) = of_resources(inside.resources()).not_judged
    assert missing.reason.startswith("its default node pools are not counted: declare")
    assert "; node auto-provisioning" in missing.reason
    assert (
        of_resources(gcp_stacks.gke(clusterAutoscaling={"enabled": False}).resources()).not_judged
        == ()
    )


@pytest.mark.parametrize(
    ("mode", "counted"), [("Auto", False), (UNKNOWN, False), ("Manual", True)]
)
def test_an_azure_cluster_that_makes_pools_by_itself_is_not_judged(mode, counted):
    program = AzureProgram()
    token = "azure-native:containerservice:ManagedCluster"
    program.add(token, "aks", nodeProvisioningProfile={"mode": mode})
    missing = of_resources(program.resources()).not_judged
    assert [row.reason[:22] for row in missing] == ([] if counted else ["node auto-provisioning"])


def aws_budget(*, tags: object = None, **inputs) -> Program:
    program = Program()
    scaling(program, region="us-east-1", tags=tags)
    whole = {"includeCredit": False, "includeRefund": False}
    given = {"budgetType": "COST", "timeUnit": "MONTHLY", "limitAmount": "100"}
    given |= {"costTypes": whole, **inputs}
    program.add("aws:budgets/budget:Budget", "month", limitUnit="USD", **given)
    return program


def azure_budget(group: object = None, *, tags: object = None, **inputs) -> Program:
    program = machine(resourceGroupName=group, tags=tags)
    given = {"category": "Cost", "timeGrain": "Monthly", "amount": 100, **inputs}
    program.add("azure-native:consumption:Budget", "month", **given)
    return program


def gcp_budget(*, labels: object = None, project: object = None, **inputs) -> Program:
    program = instance({"labels": labels, "project": project})
    dollars = {"specifiedAmount": {"units": "100", "currencyCode": "USD"}}
    filters = {"creditTypesTreatment": "EXCLUDE_ALL_CREDITS", **inputs.pop("budgetFilter", {})}
    program.add(
        "billing/budget:Budget",
        "month",
        billingAccount="b",
        amount=dollars,
        budgetFilter=filters,
        thresholdRules=[{"thresholdPercent": 1.0}],
        **inputs,
    )
    return program


def dimension(name: object) -> dict[str, object]:
    return {"dimensions": {"name": name, "operator": "In", "values": ["x"]}}


def passed(key: str, value: object, *, on: bool = True) -> dict[str, object]:
    return {"key": key, "value": value, "propagateAtLaunch": on}


SUBSCRIPTION = "/subscriptions/11111111-2222-3333-4444-555555555555"
MARKED = {"tags": {"name": "t", "operator": "In", "values": ["x"]}}
TAGGED = [{"name": "TagKeyValue", "values": ["user:x$y", "user:a$b"]}]
EC2 = "Amazon Elastic Compute Cloud - Compute"


@pytest.mark.parametrize(
    ("program", "cap", "outcome"),
    [
        (Program(), 100, "not-applicable"),
        (machine(), 100, "violated"),
        (aws_budget(), 100, "fine"),
        (aws_budget(), 99, "violated"),
        (aws_budget(limitAmount=UNKNOWN), 100, "not-knowable"),
        (aws_budget(timeUnit="DAILY"), 100, "violated"),
        (aws_budget(budgetType="USAGE"), 100, "violated"),
        (aws_budget(costFilters=TAGGED), 100, "violated"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", "b")]), 100, "fine"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", "c")]), 100, "violated"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", "b", on=False)]), 100, "violated"),
        (aws_budget(costFilters=TAGGED, tags=[passed("a", UNKNOWN)]), 100, "not-knowable"),
        (aws_budget(costFilters=TAGGED, tags=UNKNOWN), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": "Region", "values": ["us-east-1"]}]), 100, "fine"),
        (aws_budget(costFilters=[{"name": "Region", "values": ["eu-west-1"]}]), 100, "violated"),
        (
            aws_budget(costFilters=[{"name": "LinkedAccount", "values": ["1"]}]),
            100,
            "not-knowable",
        ),
        (aws_budget(costFilters=[{"name": "RecordType", "values": ["Tax"]}]), 100, "violated"),
        (aws_budget(costTypes=None), 100, "not-knowable"),
        (aws_budget(costTypes={"includeCredit": False}), 100, "not-knowable"),
        (aws_budget(costTypes={"includeRefund": False}), 100, "not-knowable"),
        (aws_budget(autoAdjustData={"autoAdjustType": "HISTORICAL"}), 100, "not-knowable"),
        (aws_budget(timePeriodEnd="2020-01-01_00:00"), 100, "violated"),
        (aws_budget(timePeriodStart="2090-01-01_00:00"), 100, "violated"),
        (aws_budget(timePeriodStart="2020-01-01_00:00"), 100, "fine"),
        (aws_budget(timePeriodStart=UNKNOWN), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": "Service", "values": ["AmazonS3"]}]), 100, "violated"),
        (aws_budget(costFilters=[{"name": "Service", "values": [EC2]}]), 100, "fine"),
        (aws_budget(costFilters=[{"name": "Service", "values": UNKNOWN}]), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": UNKNOWN}]), 100, "not-knowable"),
        (aws_budget(costFilters=[{"name": "UsageType", "values": ["x"]}]), 100, "violated"),
        (aws_budget(filterExpression={"dimensions": {}}), 100, "not-knowable"),
        (azure_budget(), 100, "fine"),
        (azure_budget(), 99, "violated"),
        (azure_budget(timeGrain="Quarterly"), 100, "violated"),
        (azure_budget(amount=UNKNOWN), 100, "not-knowable"),
        (azure_budget(filter=dimension("ResourceGroupName")), 100, "not-knowable"),
        (azure_budget("X", filter=dimension("ResourceGroupName")), 100, "fine"),
        (azure_budget("y", filter=dimension("ResourceGroupName")), 100, "violated"),
        (azure_budget(filter=dimension("SubscriptionId")), 100, "not-knowable"),
        (azure_budget("y", scope=f"{SUBSCRIPTION}/resourceGroups/x"), 100, "violated"),
        (azure_budget("y", scope=f"{SUBSCRIPTION}/resourceGroups/Y"), 100, "fine"),
        (azure_budget(scope=SUBSCRIPTION), 100, "fine"),
        (azure_budget(timePeriod={"endDate": "2020-01-01T00:00:00Z"}), 100, "violated"),
        (azure_budget(timePeriod={"startDate": "2090-01-01T00:00:00Z"}), 100, "violated"),
        (azure_budget(timePeriod={"startDate": "2020-01-01T00:00:00Z"}), 100, "fine"),
        (azure_budget(filter=dimension("ServiceName")), 100, "violated"),
        (azure_budget(filter=dimension(UNKNOWN)), 100, "not-knowable"),
        (azure_budget(filter=UNKNOWN), 100, "not-knowable"),
        (azure_budget(filter={"and": [dimension("MeterId")]}), 100, "violated"),
        (azure_budget(filter=MARKED), 100, "not-knowable"),
        (azure_budget(filter={"and": [MARKED]}), 100, "not-knowable"),
        (azure_budget(filter=MARKED, tags={"t": "x"}), 100, "fine"),
        (azure_budget(filter=MARKED, tags={"t": "y"}), 100, "violated"),
        (azure_budget(filter=MARKED, tags=UNKNOWN), 100, "not-knowable"),
        (gcp_budget(), 100, "fine"),
        (gcp_budget(), 99, "violated"),
        (gcp_budget(budgetFilter={"services": ["services/s3"]}), 100, "violated"),
        (gcp_budget(budgetFilter={"labels": {"a": "b"}}), 100, "violated"),
        (gcp_budget(budgetFilter={"labels": {"a": "b"}}, labels={"a": "b"}), 100, "fine"),
        (gcp_budget(budgetFilter={"labels": {"a": "b"}}, labels=UNKNOWN), 100, "not-knowable"),
        (gcp_budget(budgetFilter={"labels": UNKNOWN}), 100, "not-knowable"),
        (gcp_budget(budgetFilter={"projects": ["projects/a"]}), 100, "not-knowable"),
        (gcp_budget(budgetFilter={"projects": ["projects/a"]}, project="a"), 100, "fine"),
        (gcp_budget(budgetFilter={"projects": ["projects/a"]}, project="b"), 100, "violated"),
        (gcp_budget(budgetFilter={"projects": ["projects/1"]}, project="b"), 100, "not-knowable"),
    ],
)
def test_a_budget_of_the_cloud_s_own_on_resources(program, cap, outcome):
    judged = of_resources(program.resources(), caps=Caps(per_month=Decimal(cap)))
    assert outcomes(judged, "cloud-budget") == [outcome]


def hidden(program: Program) -> list[Resource]:
    """Resources whose values are not known yet; of relations only those to templates are."""
    kept = "launchTemplate"
    return [
        replace(
            resource, relations={key: to for key, to in resource.relations.items() if key == kept}
        )
        for resource in program.resources("preview")
    ]


def test_a_schedule_of_nobody_knows_which_group_may_end_any():
    program = Program()
    group = scaling(program)
    program.add(SCHEDULE, "night", autoscalingGroupName=group.out("name"), desiredCapacity=0)
    ends = {group.name: group.lifecycle.ends for group in of_resources(hidden(program)).groups}
    assert ends["workers"] is UNKNOWN


def test_a_policy_of_nobody_knows_which_group_may_raise_any_maximum():
    program = Program()
    group = scaling(program)
    forecast = {"maxCapacityBreachBehavior": "IncreaseMaxCapacity"}
    name = group.out("name")
    program.add(
        POLICY, "forecast", autoscalingGroupName=name, predictiveScalingConfiguration=forecast
    )
    (seen,) = of_resources(hidden(program)).groups
    assert faults_of(seen.faults, "pool-maximum") is UNKNOWN


def test_a_shutdown_of_nobody_knows_which_machine_may_end_any():
    program = machine()
    (own,) = (handle for handle in program.handles.values() if handle.name == "workers")
    token = "azure-native:devtestlab:GlobalSchedule"
    program.add(token, "night", targetResourceId=own.id, taskType="ComputeVmShutdownTask")
    (seen,) = of_resources(hidden(program)).groups
    assert seen.lifecycle.ends is UNKNOWN


@both
@pytest.mark.parametrize(
    ("token", "inputs", "outcome"),
    [
        ("aws:shield/subscription:Subscription", {}, "violated"),
        ("aws:shield/protection:Protection", {}, "fine"),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Premium"}}, "violated"),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Standard"}}, "fine"),
    ],
)
def test_what_costs_a_fixed_price_without_a_machine_is_refused(moment, token, inputs, outcome):
    program = Program()
    program.add(token, "held", **inputs)
    (finding,) = findings(of_resources(program.resources(moment)), "price-unknown")
    assert finding.outcome == outcome
