"""The rule owner-label: on rows, then on what strangers write for three clouds."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, FileSystem
from tests.rules.cases import azure_cluster, gcp_cluster, stacks
from tests.rules.cases.cluster import Cluster, cluster
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.hygiene import bucket, of_group
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both

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
    "a resource that takes none": (None, None, "not-applicable"),
}


@pytest.mark.parametrize("case", LABELLED)
def test_labels(case):
    labels, settings, outcome = LABELLED[case]
    known = frozenset(labels) if isinstance(labels, set) else labels
    finding = of_group("owner-label", settings, labels=known)
    assert (finding.outcome, finding.level, finding.refuses) == (outcome, "advisory", False)


def test_what_is_missing_is_named():
    demanded = {"owner": ["squad"], "cost": ["payer", "code"]}
    finding = of_group("owner-label", demanded, labels=frozenset())
    assert finding.message == "no owner tag (squad); no cost tag (payer or code)"
    assert finding.fix.startswith("add the tags squad and payer: set it in tags; ")
    finding = of_group("owner-label", demanded, labels=frozenset({"squad"}))
    assert finding.message == "no cost tag (payer or code)"
    assert finding.fix.startswith("add the tag payer: set it in tags; ")
    finding = of_group("owner-label", demanded, labels=frozenset({"squad", "code"}))
    assert finding.message == "it has a tag for its owner and cost"


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
    machine = add("aws:ec2/instance:Instance", "one", launchTemplate=template, tags={"team": "a"})
    nodes = add(
        "aws:eks/nodeGroup:NodeGroup",
        "nodes",
        launchTemplate=template,
        scalingConfig={"minSize": 1, "maxSize": 1},
        tags={"team": "a"},
    )
    judged = findings(of_resources(case.program.resources(moment)), "owner-label")
    assert {finding.subject: finding.outcome for finding in judged} == {
        machine.urn: "fine",
        nodes.urn: "violated",
    }
    tagged_template(case)
    assert set(outcomes(of_resources(case.program.resources(moment)), "owner-label")) == {"fine"}


def test_the_tags_that_a_provider_adds_count_where_they_are_shown():
    program = stacks.open_machine()
    (machine,) = (
        resource for resource in program.resources() if resource.type.endswith(":Instance")
    )
    shown = dict(machine.outputs, tagsAll={"Owner": "me"})
    rest = [resource for resource in program.resources() if resource.urn != machine.urn]
    assert outcomes(of_resources([*rest, machine]), "owner-label") == ["violated"]
    assert outcomes(of_resources([*rest, replace(machine, outputs=shown)]), "owner-label") == [
        "fine"
    ]


@both
def test_labels_on_google_cloud(moment):
    case = gcp_cluster.roce()

    def judge() -> list[str]:
        return outcomes(of_resources(case.program.resources(moment)), "owner-label")

    assert judge() == ["violated"]
    case.program.change(case.group, allInstancesConfig={"labels": {"owner": "me"}})
    assert judge() == ["fine"]
    case.program.change(case.group, allInstancesConfig=None)
    case.program.change(case.template, labels={"team": "me"})
    assert judge() == ["fine"]
    case.program.change(case.template, labels=UNKNOWN)
    assert judge() == ["not-knowable"]


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

    def judge() -> list[str]:
        return outcomes(of_resources(program.resources(moment)), "owner-label")

    assert judge() == ["violated"]
    program.change(home, resourceLabels={"owner": "me"})
    assert judge() == ["fine"]
    program.change(home, resourceLabels=None)
    program.change(pool, nodeConfig={**config, "resourceLabels": {"owner": "me"}})
    assert judge() == ["fine"]
    program.change(pool, cluster="another")
    assert judge() == ["not-knowable"]


@both
def test_tags_on_azure(moment):
    case = azure_cluster.cluster()

    def judge() -> set[str]:
        return set(outcomes(of_resources(case.program.resources(moment)), "owner-label"))

    assert judge() == {"violated"}
    for resource in (case.scaling, case.account):
        case.program.change(resource, tags={"Owner": "me"})
    assert judge() == {"fine"}
    case.program.change(case.scaling, tags=UNKNOWN)
    assert judge() == {"fine", "not-knowable"}


def test_without_rows_owner_label_does_not_apply():
    (finding,) = findings(plan(), "owner-label")
    assert (finding.outcome, finding.subject) == ("not-applicable", "shop")
