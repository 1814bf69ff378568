"""Names that a cloud refuses, as strangers write them; what nobody names is fine."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_cluster, azure_stacks, gcp_cluster, gcp_stacks, stacks
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.cluster import cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.hygiene import bucket
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.program import Program


def of_bucket(name: Any) -> Program:
    program, bucket, _ = stacks.good_bucket()
    program.change(bucket, bucket=name)
    return program


S3: dict[str, tuple[Any, str]] = {
    "fine": ("team-tokens.2026", ""),
    "shortest": ("abc", ""),
    "longest": ("a" * 63, ""),
    "hidden": (UNKNOWN, ""),
    "too short": ("ab", "3 to 63"),
    "too long": ("a" * 64, "3 to 63"),
    "capital": ("Team-Tokens", "lower-case"),
    "underscore": ("team_tokens", "lower-case"),
    "hyphen first": ("-team", "at both ends"),
    "hyphen last": ("team-", "at both ends"),
    "two dots": ("team..tokens", "two dots"),
    "an address": ("192.168.5.4", "it looks like an IP address"),
    "beginning": ("xn--team", "AWS reserves this prefix"),
    "another beginning": ("sthree-team", "AWS reserves this prefix"),
    "ending": ("team-s3alias", "AWS reserves this suffix"),
    "directory": ("team--x-s3", "AWS reserves this suffix"),
}


@pytest.mark.parametrize("named", S3)
def test_bucket_names_of_aws(named):
    name, words = S3[named]
    (finding,) = findings(of_resources(of_bucket(name).resources()), "valid-names")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


def test_a_long_name_is_shown_in_part():
    (finding,) = findings(of_resources(of_bucket("A" * 500).resources()), "valid-names")
    assert f"'{'A' * 80}…'" in finding.message
    (finding,) = findings(of_resources(of_bucket("A" * 80).resources()), "valid-names")
    assert f"'{'A' * 80}'" in finding.message


@pytest.mark.parametrize(
    ("part", "name", "words"),
    [
        ("scaling", "workers", ""),
        ("scaling", "a:b", "the scaling group's name 'a:b': allowed are 1 to 255"),
        ("scaling", "a" * 256, "1 to 255"),
        ("template", "node/1 (a)", "the launch template's name"),
        ("template", "node-(1)/a", ""),
        ("template", "ab", "3 to 128"),
    ],
)
def test_names_of_machines_on_aws(part, name, words):
    case = cluster()
    case.program.change(getattr(case, part), name=name)
    judged = of_resources(case.program.resources("preview"))
    (finding,) = findings(judged, "valid-names")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


@pytest.mark.parametrize(("name", "outcome"), [("gpu_nodes-1", "fine"), ("-nodes", "violated")])
def test_names_of_node_groups(name, outcome):
    program = Program()
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        nodeGroupName=name,
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 1},
    )
    assert outcomes(of_resources(program.resources()), "valid-names") == [outcome]


@pytest.mark.parametrize(
    ("part", "inputs", "words"),
    [
        ("group", {"name": "workers-1"}, ""),
        ("group", {"name": "Workers"}, "the group's name 'Workers'"),
        ("group", {"name": "workers-"}, "no hyphen last"),
        ("group", {"name": "w" * 63}, ""),
        ("group", {"name": "w" * 64}, "at most 62"),
        ("group", {"baseInstanceName": "w" * 59}, "the base name"),
        ("template", {"namePrefix": "node-"}, ""),
        ("template", {"namePrefix": "n" * 55}, "name prefix"),
        ("template", {"name": "1node"}, "the template's name"),
    ],
)
def test_names_of_machines_on_google_cloud(part, inputs, words):
    case = gcp_cluster.roce()
    case.program.change(getattr(case, part), **inputs)
    (finding,) = findings(of_resources(case.program.resources("preview")), "valid-names")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


@pytest.mark.parametrize(("name", "outcome"), [("p" * 40, "fine"), ("p" * 41, "violated")])
def test_names_of_node_pools_of_google_cloud(name, outcome):
    program = GcpProgram()
    pool = program.add(
        "container/nodePool:NodePool",
        "pool",
        cluster="home",
        nodeCount=1,
        nodeConfig={"machineType": "g2-standard-4"},
    )
    program.change(pool, name=name)
    assert outcomes(of_resources(program.resources("preview")), "valid-names") == [outcome]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("team_tokens-1", ""),
        ("team.example.com", ""),
        ("Team", "lower-case"),
        ("ab", "3 to 63"),
        ("a" * 64, "3 to 63"),
        ("team-", "at both ends"),
        ("10.1.2.3", "it looks like an IP address"),
        ("goog-team", "own name"),
        ("my-google-data", "own name"),
    ],
)
def test_bucket_names_of_google_cloud(name, words):
    program, bucket = gcp_stacks.good_bucket()
    program.change(bucket, name=name)
    (finding,) = findings(of_resources(program.resources("preview")), "valid-names")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


@pytest.mark.parametrize(
    ("part", "inputs", "words"),
    [
        ("account", {"accountName": "teamtokens"}, ""),
        ("account", {"accountName": "team-tokens"}, "the storage account's name"),
        ("account", {"accountName": "ab"}, "3 to 24"),
        ("account", {"accountName": "a" * 25}, "3 to 24"),
        ("container", {"containerName": "data-1"}, ""),
        ("container", {"containerName": "$web"}, ""),
        ("container", {"containerName": "data--1"}, "single hyphens"),
        ("container", {"containerName": "Data"}, "the container's name"),
        ("container", {"containerName": "ab"}, "3 to 63"),
    ],
)
def test_bucket_names_of_azure(part, inputs, words):
    program, container, parts = azure_stacks.good_bucket()
    program.change({**parts, "container": container}[part], **inputs)
    (finding,) = findings(of_resources(program.resources("preview")), "valid-names")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


def test_an_account_without_containers_is_told_once():
    program = AzureProgram()
    program.add(
        "azure-native:storage:StorageAccount",
        "data",
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        accountName="Team",
    )
    (finding,) = findings(of_resources(program.resources()), "valid-names")
    assert finding.message.count("Team") == 1


@pytest.mark.parametrize(
    ("name", "prefix", "words"),
    [
        ("workers_1", "node", ""),
        ("_workers", "node", "the machine's name"),
        ("workers-", "node", "the machine's name"),
        ("w" * 64, "node", ""),
        ("w" * 65, "node", "1 to 64"),
        ("workers", "node_", "the prefix"),
        ("workers", "n" * 59, "1 to 58"),
    ],
)
def test_names_of_machines_on_azure(name, prefix, words):
    case = azure_cluster.cluster()
    case.program.change(case.scaling, vmScaleSetName=name)
    case.profile(
        osProfile={"computerNamePrefix": prefix, "linuxConfiguration": azure_cluster.LOGIN}
    )
    judged = findings(of_resources(case.program.resources()), "valid-names")
    (finding,) = (other for other in judged if other.subject == case.scaling.urn)
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("gpus1", "fine"), ("GPUs", "violated"), ("g" * 12, "fine"), ("g" * 13, "violated")],
)
@pytest.mark.parametrize("where", ["own", "cluster"])
def test_names_of_node_pools_of_azure(where, name, outcome):
    program = AzureProgram()
    spec = {"vmSize": "Standard_NC4as_T4_v3", "count": 1}
    if where == "own":
        program.add("azure-native:containerservice:AgentPool", "p", agentPoolName=name, **spec)
    else:
        profiles = [{"name": name, **spec}]
        token = "azure-native:containerservice:ManagedCluster"
        program.add(token, "aks", agentPoolProfiles=profiles)
    assert outcomes(of_resources(program.resources()), "valid-names") == [outcome]


def test_names_that_nobody_chose_are_fine():
    for program in (
        cluster().program,
        gcp_cluster.tcpx().program,
        azure_cluster.cluster().program,
    ):
        seen = outcomes(of_resources(program.resources()), "valid-names")
        assert set(seen) == {"fine"}


def test_names_of_machines_and_buckets_are_judged_and_refuse():
    judged = plan(
        group(faults=rule_faults("valid-names", ("a is bad", "b too"))), buckets=(bucket(),)
    )
    machines, data = findings(judged, "valid-names")
    assert (machines.outcome, machines.refuses) == ("violated", True)
    assert machines.message == "a is bad; b too"
    assert (data.outcome, data.subject) == ("fine", "buckets.data")
    hidden = plan(buckets=(bucket(faults=rule_faults("valid-names", UNKNOWN)),))
    assert outcomes(hidden, "valid-names") == ["not-knowable"]


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [((), "fine"), (("too long",), "violated"), (UNKNOWN, "not-knowable")],
    ids=str,
)
def test_names_that_a_cloud_refuses(faults, outcome):
    told = rule_faults("valid-names", faults)
    assert outcomes(plan(group(faults=told)), "valid-names") == [outcome]
    assert outcomes(plan(buckets=(bucket(faults=told),)), "valid-names") == [outcome]


def test_without_machines_and_buckets_no_names_are_judged():
    assert outcomes(plan(), "valid-names") == ["not-applicable"]
