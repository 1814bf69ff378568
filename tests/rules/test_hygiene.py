"""Hygiene rules: first on rows, then on what strangers write for three clouds."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.observing.faults import refused
from gpuinfra.model import UNKNOWN, Bucket, FileSystem, Usage
from gpuinfra.rules import Finding
from tests.rules.cases import azure_cluster, azure_stacks, gcp_cluster, gcp_stacks, stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.cluster import Cluster, cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program

both = pytest.mark.parametrize("moment", ["preview", "created"])


def of_group(rule: str, settings: Any = None, **facts: Any) -> Finding:
    (finding,) = findings(plan(group(**facts)), rule, settings)
    return finding


def bucket(**facts: Any) -> Bucket:
    return Bucket(name="data", subject="buckets.data", cloud="aws", region="us-east-1", **facts)


RULES = (
    *("owner-label", "valid-names", "image-pinned", "scaling-signal"),
    *("idle-stop", "bucket-lifecycle"),
)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_to_judge_is_not_applicable(rule):
    (finding,) = findings(plan(), rule)
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")


@pytest.mark.parametrize(
    ("facts", "outcome", "words"),
    [
        ({"grows": None}, "not-applicable", "its size is fixed"),
        ({"grows": UNKNOWN, "maximum": 4}, "not-knowable", "is unknown"),
        ({"grows": False, "maximum": 4}, "violated", "1 to 4 machines, and nothing"),
        ({"grows": False, "maximum": UNKNOWN}, "violated", "1 to an unknown number machines"),
        ({"grows": False}, "violated", "may have 1 machines, and nothing"),
        ({"grows": True, "minimum": 4, "maximum": 4}, "violated", "at least 4, at most 4"),
        ({"grows": True, "minimum": UNKNOWN, "maximum": UNKNOWN}, "fine", "unknown number"),
        ({"grows": True, "maximum": 4}, "fine", "1 to 4 machines"),
    ],
)
def test_a_group_that_may_grow_is_told_when(facts, outcome, words):
    finding = of_group("scaling-signal", **facts)
    assert (finding.outcome, finding.level, finding.refuses) == (outcome, "advisory", False)
    assert words in finding.message


def test_the_way_out_follows_what_is_wrong_with_scaling():
    fixed = of_group("scaling-signal", grows=True, minimum=4, maximum=4)
    assert "its maximum above its minimum" in fixed.fix
    assert "target tracking" in of_group("scaling-signal", grows=False, maximum=4).fix


@pytest.mark.parametrize(
    ("rule", "field"), [("image-pinned", "image_pinned"), ("idle-stop", "stops_idle")]
)
@pytest.mark.parametrize(
    ("fact", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_one_fact_of_a_group(rule, field, fact, outcome):
    finding = of_group(rule, **{field: fact})
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_only_machines_that_somebody_works_on_have_to_stop():
    assert of_group("idle-stop", stops_idle=None).outcome == "not-applicable"


@pytest.mark.parametrize(
    ("fact", "outcome"), [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable")]
)
def test_something_of_a_bucket_expires(fact, outcome):
    (finding,) = findings(plan(buckets=(bucket(expires=fact),)), "bucket-lifecycle")
    assert (finding.outcome, finding.level) == (outcome, "advisory")


def test_names_of_machines_and_buckets_are_judged_and_refuse():
    judged = plan(group(faults=refused("valid-names", ("a is bad", "b too"))), buckets=(bucket(),))
    machines, data = findings(judged, "valid-names")
    assert (machines.outcome, machines.refuses) == ("violated", True)
    assert machines.message == "a is bad; b too"
    assert (data.outcome, data.subject) == ("fine", "buckets.data")
    hidden = plan(buckets=(bucket(faults=refused("valid-names", UNKNOWN)),))
    assert outcomes(hidden, "valid-names") == ["not-knowable"]


LABELLED: dict[str, tuple[Any, Any, str]] = {
    "its owner": ({"Owner", "Name"}, None, "fine"),
    "its team": ({"TEAM"}, None, "fine"),
    "ours": ({"gpuinfra:owner"}, None, "fine"),
    "ours on Google Cloud": ({"gpuinfra-owner"}, None, "fine"),
    "only a name": ({"Name"}, None, "violated"),
    "hidden": (UNKNOWN, None, "not-knowable"),
    "other words": ({"squad"}, {"owner": ["squad", "tribe"]}, "fine"),
    "none of other words": ({"owner"}, {"owner": ["squad", "tribe"]}, "violated"),
    "no cost label": ({"owner"}, {"cost": ["cost-center"]}, "violated"),
    "both": ({"owner", "Cost-Center"}, {"cost": "cost-center"}, "fine"),
    "nothing demanded": ({"Name"}, {"owner": []}, "fine"),
}


@pytest.mark.parametrize("case", LABELLED)
def test_labels(case):
    labels, settings, outcome = LABELLED[case]
    known = labels if labels is UNKNOWN else frozenset(labels)
    finding = of_group("owner-label", settings, labels=known)
    assert (finding.outcome, finding.level, finding.refuses) == (outcome, "advisory", False)


def test_what_is_missing_is_named():
    demanded = {"owner": ["squad"], "cost": ["payer", "code"]}
    found = of_group("owner-label", demanded, labels=frozenset())
    assert found.message == "no owner label: squad; no cost label: payer, code"
    found = of_group("owner-label", demanded, labels=frozenset({"squad"}))
    assert found.message == "no cost label: payer, code"
    found = of_group("owner-label", demanded, labels=frozenset({"squad", "code"}))
    assert found.message == "labelled with its owner and cost"


def test_everything_that_costs_money_is_labelled():
    files = FileSystem(
        name="f", subject="f", cloud="aws", kind="efs", region=None, labels=frozenset()
    )
    owned = frozenset({"owner"})
    judged = plan(group(labels=owned), buckets=(bucket(labels=owned),), file_systems=(files,))
    assert outcomes(judged, "owner-label") == ["fine", "fine", "violated"]
    assert outcomes(plan(file_systems=(files,)), "valid-names") == ["not-applicable"]


Spoil = Callable[[Cluster], Any]


def tagged(case: Cluster, *, passed: bool = True) -> None:
    tags = [
        {"key": "Owner", "value": "me", "propagateAtLaunch": passed},
        {"key": "Name", "value": "w", "propagateAtLaunch": True},
    ]
    case.program.change(case.scaling, tags=tags)


def tagged_template(case: Cluster, kind: Any = "instance", tags: Any = None) -> None:
    of = {"resourceType": kind, "tags": {"Owner": "me"} if tags is None else tags}
    case.program.change(case.template, tagSpecifications=[{"resourceType": "volume"}, of])


ON_AWS: dict[str, tuple[Spoil, str]] = {
    "untagged": (lambda _: None, "violated"),
    "propagate": (tagged, "fine"),
    "kept back": (lambda case: tagged(case, passed=False), "violated"),
    "hidden": (lambda case: case.program.change(case.scaling, tags=UNKNOWN), "not-knowable"),
    "hidden key": (
        lambda case: case.program.change(
            case.scaling, tags=[{"key": UNKNOWN, "propagateAtLaunch": True}]
        ),
        "not-knowable",
    ),
    "template": (tagged_template, "fine"),
    "of volumes": (lambda case: tagged_template(case, "volume"), "violated"),
    "of what": (lambda case: tagged_template(case, UNKNOWN), "not-knowable"),
    "hidden of the template": (lambda case: tagged_template(case, tags=UNKNOWN), "not-knowable"),
    "all hidden": (
        lambda case: case.program.change(case.template, tagSpecifications=UNKNOWN),
        "not-knowable",
    ),
}


@both
@pytest.mark.parametrize("named", ON_AWS)
def test_tags_of_a_scaling_group_s_machines(named, moment):
    spoil, outcome = ON_AWS[named]
    case = cluster()
    spoil(case)
    assert outcomes(of_resources(case.program.resources(moment)), "owner-label") == [outcome]


@both
def test_tags_of_an_instance_a_fleet_and_a_node_group(moment):
    case = cluster()
    case.program.drop(case.scaling)
    add, template = case.program.add, {"id": case.template.id}
    one = add("aws:ec2/instance:Instance", "one", launchTemplate=template, tags={"team": "a"})
    nodes = add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        launchTemplate=template,
        scalingConfig={"minSize": 1, "maxSize": 1},
        tags={"team": "a"},
    )
    found = findings(of_resources(case.program.resources(moment)), "owner-label")
    assert {finding.subject: finding.outcome for finding in found} == {
        one.urn: "fine",
        nodes.urn: "violated",
    }
    tagged_template(case)
    assert set(outcomes(of_resources(case.program.resources(moment)), "owner-label")) == {"fine"}


def test_the_tags_that_a_provider_adds_count_where_they_are_shown():
    program = stacks.open_machine()
    (machine,) = (one for one in program.resources() if one.type.endswith(":Instance"))
    shown = dict(machine.outputs, tagsAll={"Owner": "me"})
    rest = [one for one in program.resources() if one.urn != machine.urn]
    assert outcomes(of_resources([*rest, machine]), "owner-label") == ["violated"]
    assert outcomes(of_resources([*rest, replace(machine, outputs=shown)]), "owner-label") == [
        "fine"
    ]


@both
def test_labels_on_google_cloud(moment):
    case = gcp_cluster.roce()

    def said() -> list[str]:
        return outcomes(of_resources(case.program.resources(moment)), "owner-label")

    assert said() == ["violated"]
    case.program.change(case.group, allInstancesConfig={"labels": {"owner": "me"}})
    assert said() == ["fine"]
    case.program.change(case.group, allInstancesConfig=None)
    case.program.change(case.template, labels={"team": "me"})
    assert said() == ["fine"]
    case.program.change(case.template, labels=UNKNOWN)
    assert said() == ["not-knowable"]


@both
def test_labels_of_a_node_pool_are_those_of_its_cluster_too(moment):
    program = GcpProgram()
    home = program.add("container/cluster:Cluster", "home", location="us-central1-a")
    config = {"machineType": "g2-standard-4", "labels": {"owner": "no, of Kubernetes"}}
    pool = program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster=home.out("name"),
        nodeCount=1,
        nodeConfig=config,
    )

    def said() -> list[str]:
        return outcomes(of_resources(program.resources(moment)), "owner-label")

    assert said() == ["violated"]
    program.change(home, resourceLabels={"owner": "me"})
    assert said() == ["fine"]
    program.change(home, resourceLabels=None)
    program.change(pool, nodeConfig={**config, "resourceLabels": {"owner": "me"}})
    assert said() == ["fine"]
    program.change(pool, cluster="another")
    assert said() == ["not-knowable"]


@both
def test_tags_on_azure(moment):
    case = azure_cluster.cluster()

    def said() -> set[str]:
        return set(outcomes(of_resources(case.program.resources(moment)), "owner-label"))

    assert said() == {"violated"}
    for resource in (case.scaling, case.account):
        case.program.change(resource, tags={"Owner": "me"})
    assert said() == {"fine"}
    case.program.change(case.scaling, tags=UNKNOWN)
    assert said() == {"fine", "not-knowable"}


def pool(**inputs: Any) -> tuple[Program, Any]:
    program = Program()
    template = program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", instanceType="g6.xlarge", imageId="ami-1"
    )
    scaling = program.add(
        "aws:autoscaling/group:Group",
        "servers",
        **{
            "minSize": 1,
            "maxSize": 4,
            "vpcZoneIdentifiers": ["subnet-1"],
            "launchTemplate": {"id": template.id},
            **inputs,
        },
    )
    return program, scaling


def policy(program: Program, scaling: Any, **inputs: Any) -> Any:
    return program.add(
        "aws:autoscaling/policy:Policy",
        "follow",
        autoscalingGroupName=scaling.out("name"),
        **inputs,
    )


def said_of(program: Program, rule: str, moment: Any) -> set[str]:
    return set(outcomes(of_resources(program.resources(moment)), rule))


@both
def test_a_scaling_group_of_aws_without_a_policy_is_told_nothing(moment):
    program, scaling = pool()
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    policy(program, scaling, policyType="TargetTrackingScaling", targetTrackingConfiguration={})
    assert said_of(program, "scaling-signal", moment) == {"fine"}
    program.change(scaling, minSize=4)
    assert said_of(program, "scaling-signal", moment) == {"violated"}


@both
def test_a_fixed_scaling_group_needs_no_signal(moment):
    program, scaling = pool(minSize=4)
    assert said_of(program, "scaling-signal", moment) == {"not-applicable"}
    policy(program, scaling, policyType="StepScaling")
    assert said_of(program, "scaling-signal", moment) == {"violated"}


@both
@pytest.mark.parametrize("kind", ["StepScaling", "SimpleScaling", None])
def test_steps_wait_for_an_alarm(kind, moment):
    program, scaling = pool()
    step = policy(program, scaling, **({"policyType": kind} if kind else {}))
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    alarm = program.add("aws:cloudwatch/metricAlarm:MetricAlarm", "busy", alarmActions=[step.arn])
    assert said_of(program, "scaling-signal", moment) == {"fine"}
    program.change(alarm, alarmActions=UNKNOWN)
    assert said_of(program, "scaling-signal", moment) == {"not-knowable"}


@both
def test_a_forecast_alone_scales_nothing(moment):
    program, scaling = pool()
    forecast = policy(
        program,
        scaling,
        policyType="PredictiveScaling",
        predictiveScalingConfiguration={"mode": "ForecastOnly"},
    )
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    program.change(forecast, predictiveScalingConfiguration={"mode": "ForecastAndScale"})
    assert said_of(program, "scaling-signal", moment) == {"fine"}
    program.change(forecast, policyType=UNKNOWN)
    assert said_of(program, "scaling-signal", moment) == {"not-knowable"}


def test_a_policy_of_some_other_group_may_be_this_one_s():
    program, scaling = pool()
    found = policy(program, scaling, policyType="TargetTrackingScaling")
    program.change(found, autoscalingGroupName=UNKNOWN)
    assert said_of(program, "scaling-signal", "created") == {"not-knowable"}


@both
def test_a_schedule_scales_too(moment):
    program, scaling = pool()
    program.add(
        "aws:autoscaling/schedule:Schedule",
        "night",
        autoscalingGroupName=scaling.out("name"),
        minSize=0,
    )
    assert said_of(program, "scaling-signal", moment) == {"fine"}


@pytest.mark.parametrize(
    ("sizes", "outcome"), [((2, 2), "not-applicable"), ((1, 4), "not-knowable")]
)
def test_what_scales_nodes_of_eks_stands_in_the_cluster(sizes, outcome):
    least, most = sizes
    program = Program()
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": least, "maxSize": most},
    )
    assert said_of(program, "scaling-signal", "created") == {outcome}


def test_sizes_that_are_hidden_are_not_knowable_without_a_signal():
    for hidden in ({"minSize": UNKNOWN}, {"maxSize": UNKNOWN}):
        program, _ = pool(**hidden)
        assert said_of(program, "scaling-signal", "created") == {"not-knowable"}


@both
def test_an_autoscaler_of_google_cloud(moment):
    program = gcp_stacks.pool()
    (scaler,) = (one for one in program.handles.values() if "utoscaler" in one.type)

    def said() -> set[str]:
        return said_of(program, "scaling-signal", moment)

    assert said() == {"fine"}
    program.change(scaler, autoscalingPolicy={"minReplicas": 3, "maxReplicas": 3})
    assert said() == {"violated"}


@both
def test_a_sized_group_of_google_cloud_and_its_autoscaler_are_judged_once(moment):
    program = gcp_stacks.pool(base=0)
    (scaler,) = (one for one in program.handles.values() if "utoscaler" in one.type)
    (scaled,) = (one for one in program.handles.values() if one.type.endswith("GroupManager"))
    program.change(scaled, targetSize=2)
    found = findings(of_resources(program.resources(moment)), "scaling-signal")
    assert {one.outcome for one in found} == {"not-applicable", "fine"}
    off = {"minReplicas": 1, "maxReplicas": 9, "mode": "OFF"}
    program.change(scaler, autoscalingPolicy=off)
    assert said_of(program, "scaling-signal", moment) == {"violated"}
    program.drop(scaler)
    assert said_of(program, "scaling-signal", moment) == {"not-applicable"}


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [({"nodeCount": 2}, "not-applicable"), ({"autoscaling": {"maxNodeCount": 3}}, "fine")],
)
def test_a_node_pool_of_google_cloud(inputs, outcome):
    program = GcpProgram()
    program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster="home",
        nodeLocations=["us-central1-a"],
        nodeConfig={"machineType": "g2-standard-4"},
        **inputs,
    )
    assert said_of(program, "scaling-signal", "created") == {outcome}


RULE = {"metricTrigger": {"metricName": "gpu"}}


def autoscaled(**setting: Any) -> AzureProgram:
    program = AzureProgram()
    scaling = azure_stacks.scale_set(program)
    profile = {"capacity": {"minimum": "1", "maximum": "4"}, "rules": [RULE]}
    program.add(
        "azure-native:monitor:AutoscaleSetting",
        "follow",
        targetResourceUri=scaling.id,
        **{"enabled": True, "profiles": [profile], **setting},
    )
    return program


AUTOSCALED: dict[str, tuple[dict[str, Any], str]] = {
    "on": ({}, "fine"),
    "off": ({"enabled": None}, "violated"),
    "hidden": ({"enabled": UNKNOWN}, "not-knowable"),
    "no rule": (
        {"profiles": [{"capacity": {"minimum": "1", "maximum": "4"}}]},
        "violated",
    ),
    "by the clock": (
        {"profiles": [{"capacity": {"minimum": "1", "maximum": "4"}, "recurrence": {"f": 1}}]},
        "fine",
    ),
}


@both
@pytest.mark.parametrize("named", AUTOSCALED)
def test_an_autoscale_setting_of_azure(named, moment):
    setting, outcome = AUTOSCALED[named]
    assert said_of(autoscaled(**setting), "scaling-signal", moment) == {outcome}


def test_a_scale_set_that_nothing_scales_is_fixed():
    program = AzureProgram()
    azure_stacks.scale_set(program)
    assert said_of(program, "scaling-signal", "created") == {"not-applicable"}


@pytest.mark.parametrize(
    ("scales", "outcome"), [(None, "not-applicable"), (True, "fine"), (UNKNOWN, "not-knowable")]
)
def test_a_node_pool_of_azure(scales, outcome):
    program = AzureProgram()
    sizes = {"count": 1, "minCount": 1, "maxCount": 4}
    program.add(
        "azure-native:containerservice:AgentPool",
        "pool",
        vmSize="Standard_NC4as_T4_v3",
        enableAutoScaling=scales,
        **sizes,
    )
    assert said_of(program, "scaling-signal", "created") == {outcome}


IMAGES: dict[str, tuple[Any, str]] = {
    "id": ("ami-0abc", "fine"),
    "parameter": ("resolve:ssm:/aws/service/ami/latest/ami-id", "violated"),
    "version of a parameter": ("resolve:ssm:/team/ami:7", "fine"),
    "label of a parameter": ("resolve:ssm:/team/ami:blue", "violated"),
    "hidden": (UNKNOWN, "not-knowable"),
    "no id": ("my-image", "not-knowable"),
    "none": (None, "not-knowable"),
}


@pytest.mark.parametrize("named", IMAGES)
def test_images_on_aws(named):
    image, outcome = IMAGES[named]
    program, _ = pool()
    (template,) = (one for one in program.handles.values() if "Template" in one.type)
    program.change(template, imageId=image)
    assert said_of(program, "image-pinned", "created") == {outcome}


def test_an_image_that_the_stack_s_state_keeps_is_pinned():
    program, _ = pool()
    pin = program.add("pulumi:index:Stash", "image", input="ami-1")
    (template,) = (one for one in program.handles.values() if "Template" in one.type)
    program.change(template, imageId=pin.out("output"))
    assert said_of(program, "image-pinned", "preview") == {"fine"}


def test_eks_keeps_its_release():
    program = Program()
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 1},
    )
    assert said_of(program, "image-pinned", "created") == {"fine"}


@pytest.mark.parametrize(
    ("image", "outcome"),
    [
        ("projects/p/global/images/own", "fine"),
        ("https://www.googleapis.com/compute/v1/projects/p/global/images/own", "fine"),
        ("global/images/own", "fine"),
        ("projects/p/global/images/family/ours", "violated"),
        ("family/ours", "violated"),
        ("debian-cloud/debian-12", "not-knowable"),
        (UNKNOWN, "not-knowable"),
        (None, "not-knowable"),
    ],
)
def test_images_on_google_cloud(image, outcome):
    case = gcp_cluster.roce()
    disk = {"boot": True, "sourceImage": image, "diskType": "hyperdisk-balanced"}
    case.program.change(case.template, disks=[disk])
    assert said_of(case.program, "image-pinned", "created") == {outcome}


@pytest.mark.parametrize(
    ("upgrades", "outcome"), [(None, "violated"), (False, "fine"), (UNKNOWN, "not-knowable")]
)
def test_gke_upgrades_nodes_unless_it_is_told_not_to(upgrades, outcome):
    program = GcpProgram()
    program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster="home",
        nodeCount=1,
        nodeConfig={"machineType": "g2-standard-4"},
        management={"autoUpgrade": upgrades},
    )
    assert said_of(program, "image-pinned", "created") == {outcome}


HPC = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204"}
GALLERY = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/g/images/i"


@pytest.mark.parametrize(
    ("image", "outcome"),
    [
        ({**HPC, "version": "22.04.1"}, "fine"),
        ({**HPC, "version": "latest"}, "violated"),
        (HPC, "violated"),
        ({**HPC, "version": UNKNOWN}, "not-knowable"),
        (UNKNOWN, "not-knowable"),
        ({}, "not-knowable"),
        ({"id": GALLERY}, "violated"),
        ({"id": f"{GALLERY}/versions/1.0.0"}, "fine"),
        ({"id": f"{GALLERY}/versions/latest"}, "violated"),
        ({"id": GALLERY.replace("/galleries/g", "")}, "fine"),
        ({"id": UNKNOWN}, "not-knowable"),
        ({"id": "by-hand"}, "not-knowable"),
        ({"communityGalleryImageId": "/CommunityGalleries/g/Images/i/Versions/1"}, "fine"),
    ],
)
def test_images_on_azure(image, outcome):
    case = azure_cluster.cluster()
    case.profile(storageProfile={"imageReference": image})
    assert said_of(case.program, "image-pinned", "created") == {outcome}


@pytest.mark.parametrize(
    ("channel", "outcome"),
    [("None", "fine"), ("NodeImage", "violated"), (None, "not-knowable")],
)
def test_images_of_nodes_on_azure(channel, outcome):
    program = AzureProgram()
    profile = {"name": "gpus", "vmSize": "Standard_NC4as_T4_v3", "count": 1}
    program.add(
        "azure-native:containerservice:ManagedCluster",
        "aks",
        agentPoolProfiles=[profile],
        autoUpgradeProfile={"nodeOSUpgradeChannel": channel},
    )
    assert said_of(program, "image-pinned", "created") == {outcome}


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
    found = findings(of_resources(program.resources(moment)), "idle-stop")
    assert {one.subject: one.outcome for one in found} == {
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
