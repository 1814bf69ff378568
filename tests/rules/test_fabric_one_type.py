"""The machines of a fabric are of one type."""

from gpuinfra.rules import fabric_verdict
from tests.rules.cases import azure_cluster, gcp_cluster
from tests.rules.cases.cluster import cluster
from tests.rules.cases.fabric import (
    joined,
)
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan
from tests.rules.cases.moments import both


@both
def test_a_fabric_of_several_types_is_violated_on_aws(moment):
    case = cluster()
    template = {"launchTemplateId": case.template.id, "version": "$Latest"}
    overrides = [{"instanceType": "p5.48xlarge"}, {"instanceType": "p5e.48xlarge"}]
    policy = {"launchTemplate": {"launchTemplateSpecification": template, "overrides": overrides}}
    case.program.change(case.scaling, launchTemplate=None, mixedInstancesPolicy=policy)
    (finding,) = findings(of_resources(case.program.resources(moment)), "fabric-one-type")
    assert finding.outcome == "violated"
    assert "p5.48xlarge and p5e.48xlarge" in finding.message
    (proof,) = fabric_verdict(of_resources(case.program.resources(moment)))
    assert (proof.answer, finding.fix in proof.changes) == ("no", True)


@both
def test_a_fabric_of_several_sizes_is_violated_on_azure(moment):
    case = azure_cluster.cluster()
    names = ("Standard_ND96isr_H100_v5", "Standard_ND96isr_H200_v5")
    case.program.change(
        case.scaling,
        sku={"name": "Mix", "capacity": 4},
        skuProfile={"vmSizes": [{"name": name} for name in names]},
    )
    (finding,) = findings(of_resources(case.program.resources(moment)), "fabric-one-type")
    assert finding.outcome == "violated"


@both
def test_a_fabric_of_several_types_is_violated_on_google_cloud(moment):
    case = gcp_cluster.roce()
    selection = {"name": "any", "machineTypes": ["a3-ultragpu-8g", "a4-highgpu-8g"]}
    policy = {"instanceSelections": [selection]}
    case.program.change(case.group, instanceFlexibilityPolicy=policy)
    (finding,) = findings(of_resources(case.program.resources(moment)), "fabric-one-type")
    assert finding.outcome == "violated"
    assert "a3-ultragpu-8g and a4-highgpu-8g" in finding.message


def test_the_types_are_listed_once():
    mixed = group(machines=("p5.48xlarge", "p5.48xlarge"), fabric=joined())
    assert outcomes(plan(mixed), "fabric-one-type") == ["fine"]
    three = group(machines=("a.1", "b.1", "c.1"), fabric=joined())
    (finding,) = findings(plan(three), "fabric-one-type")
    assert "several types: a.1, b.1 and c.1" in finding.message
    (finding,) = findings(plan(group(machines=(), fabric=joined())), "fabric-one-type")
    assert (finding.outcome, finding.message) == ("fine", "all machines are p5.48xlarge")


def test_without_a_fabric_any_types_will_do():
    mixed = group(machines=("p5.48xlarge", "p5e.48xlarge"))
    assert outcomes(plan(mixed), "fabric-one-type") == ["not-applicable"]
