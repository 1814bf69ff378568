"""A fix names settings that the resource's own type has."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.rules import RULES
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.program import Program

PACKAGES = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure": "pulumi_azure_native"}
ROWS = [
    pytest.param(cloud, row, id=f"{row['rule']}-{row['type']}")
    for cloud in CLOUDS
    for row in provider_of(cloud).tables.rows("ways")
]
OF_OTHERS = {"activeDeadlineSeconds", "deleteNodegroup", "httpTokens", "metadataOptions"}
"""What stands in a pod's own declaration or in a launch template, and an action of an API."""
VALUES = {"priceCapacityOptimized", "allUsers"}
PATH = re.compile(r"\b[a-z]+(?:[A-Z]\w*|(?=\.[a-z]+[A-Z]))(?:(?:\[\])?\.[a-z]\w*)*")

SET = re.compile(r"\bset (\w+) to\b")


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@cache
def inputs_of(cloud, token):
    """The names of all inputs in the module of a type."""
    spec = find_spec(PACKAGES[cloud])
    assert spec is not None
    assert spec.origin is not None
    module = token.split(":")[1].partition("/")[0]
    files = (Path(spec.origin).parent / module).glob("*.py")
    return set(
        re.findall(r"^    def (\w+)\(self\)", "".join(map(Path.read_text, files)), re.MULTILINE)
    )


@pytest.mark.parametrize(("cloud", "row"), ROWS)
def test_a_fix_names_what_the_type_has(cloud, row):
    paths = [*PATH.findall(row["fix"]), *SET.findall(row["fix"])]
    names = {part for path in paths for part in re.split(r"(?:\[\])?\.", path)}
    known = inputs_of(cloud, row["type"])

    assert names
    assert {name for name in names - OF_OTHERS - VALUES if snake(name) not in known} == set()
    assert row["rule"] in {rule.id for rule in RULES}
    assert row["type"] == provider_of(cloud).observe.canonical(row["type"])


SPOT = {"minSize": 1, "maxSize": 2, "desiredSize": 1}
BATCH = {"type": "EC2", "instanceTypes": ["g6.xlarge"], "maxVcpus": 16}
POOL = {"vmSize": "Standard_NC24ads_A100_v4", "count": 1, "mode": "User", "name": "gpus"}


def fix(program, rule):
    (finding,) = findings(of_resources(program.resources()), rule)
    assert finding.outcome in {"violated", "not-knowable"}
    return finding.fix


@pytest.mark.parametrize(
    ("kind", "inputs", "fixes"),
    [
        (
            "aws:eks/nodeGroup:NodeGroup",
            {"instanceTypes": ["g6.xlarge"], "scalingConfig": SPOT, "amiType": "AL2_x86_64_GPU"},
            {
                "metadata-v2": "AL2023",
                "time-limit": "eks:deleteNodegroup",
                "scaling-signal": "Cluster Autoscaler",
            },
        ),
        (
            "aws:batch/computeEnvironment:ComputeEnvironment",
            {"computeResources": BATCH},
            {"time-limit": "attemptDurationSeconds", "image-pinned": "imageIdOverride"},
        ),
    ],
)
def test_nodes_and_jobs_of_aws_are_fixed_by_their_own_settings(kind, inputs, fixes):
    program = Program()
    program.add(kind, "gpus", **inputs)

    assert {rule for rule, word in fixes.items() if word not in fix(program, rule)} == set()


def test_containers_that_are_served_to_everyone_are_fixed_by_their_own_settings():
    program = Program()
    image = {"imageConfiguration": {"port": "8888"}}
    source = {"imageRepository": image}
    program.add("aws:apprunner/service:Service", "app", sourceConfiguration=source)
    assert "isPubliclyAccessible" in fix(program, "open-login")


def test_a_cache_is_closed_by_its_own_settings():
    program = AzureProgram()
    program.add("azure-native:redis:Redis", "cache")
    assert "FirewallRule" in fix(program, "open-login")


def test_an_app_is_closed_by_a_login():
    program = AzureProgram()
    settings = [{"name": "WEBSITES_PORT", "value": "8888"}]
    program.add("azure-native:web:WebApp", "desk", siteConfig={"appSettings": settings})
    assert "globalValidation.requireAuthentication" in fix(program, "open-login")


def test_a_service_of_cloud_run_is_closed_by_its_invoker():
    program = GcpProgram()
    template = {"containers": [{"image": "x", "ports": {"containerPort": 8888}}]}
    stated = {"name": "desk", "location": "us-central1", "invokerIamDisabled": True}
    program.add("cloudrunv2/service:Service", "desk", template=template, **stated)
    assert "roles/run.invoker" in fix(program, "open-login")


def test_nodes_of_google_are_fixed_by_their_own_settings():
    program = GcpProgram()
    cluster = program.add("container/cluster:Cluster", "c", removeDefaultNodePool=True)
    program.add(
        "container/nodePool:NodePool",
        "gpus",
        cluster=cluster.out("name"),
        nodeCount=1,
        nodeConfig={"machineType": "g2-standard-8", "diskType": "pd-balanced", "diskSizeGb": 100},
    )
    assert "networkConfig.enablePrivateNodes" in fix(program, "public-address")
    assert "nodeConfig.maxRunDuration" in fix(program, "time-limit")
    assert "management.autoUpgrade: false" in fix(program, "image-pinned")
    assert "nodeConfig.shieldedInstanceConfig" in fix(program, "secure-boot")


@pytest.mark.parametrize("inside", [True, False])
def test_nodes_of_azure_are_fixed_by_their_own_settings(inside):
    program = AzureProgram()
    pool = {**POOL, "enableNodePublicIP": True}
    upgrades = {"nodeOSUpgradeChannel": "NodeImage"}
    pools = {"agentPoolProfiles": [pool]} if inside else {}
    kind = "azure-native:containerservice:ManagedCluster"
    cluster = program.add(kind, "c", autoUpgradeProfile=upgrades, **pools)
    if not inside:
        kind = "azure-native:containerservice:AgentPool"
        program.add(kind, "gpus", resourceName=cluster.out("name"), **pool)
    at = "agentPoolProfiles[]." if inside else ""

    assert f"set {at}enableNodePublicIP: false" in fix(program, "public-address")
    assert f"{at}securityProfile.enableSecureBoot: true" in fix(program, "secure-boot")
    assert "autoUpgradeProfile.nodeOSUpgradeChannel: None" in fix(program, "image-pinned")
    assert "no setting of AKS ends" in fix(program, "time-limit")


def test_a_machine_is_fixed_as_its_cloud_is():
    program = Program()
    program.add("aws:ec2/instance:Instance", "gpus", instanceType="g6.xlarge", ami="ami-1")

    assert "EventBridge Scheduler" in fix(program, "time-limit")


@pytest.mark.parametrize(
    ("images", "outcome"),
    [(["ami-1"], "fine"), (["ami-1", "ami-2"], "fine"), (["ami-1", None], "not-knowable")],
)
def test_the_images_that_batch_is_told_are_read(images, outcome):
    program = Program()
    kinds = [{"imageType": "ECS_AL2_NVIDIA", "imageIdOverride": image} for image in images]
    resources = {**BATCH, "ec2Configurations": kinds}
    kind = "aws:batch/computeEnvironment:ComputeEnvironment"
    program.add(kind, "gpus", computeResources=resources)
    (finding,) = findings(of_resources(program.resources()), "image-pinned")

    assert finding.outcome == outcome
