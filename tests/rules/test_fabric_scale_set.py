"""A fabric of Azure is one scale set."""

import pytest

from gpuinfra.clouds import title
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Usage
from tests.rules.cases import azure_cluster
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.fabric import joined
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan


def test_an_image_that_needs_a_plan_is_no_matter_of_its_interfaces():
    case = azure_cluster.cluster()
    image = {"publisher": "almalinux", "offer": "almalinux-hpc"}
    case.profile(storageProfile={"imageReference": image})
    judged = of_resources(case.program.resources())
    assert outcomes(judged, "fabric-scale-set") == ["fine"]
    (finding,) = findings(judged, "launch-settings")
    assert "requires a marketplace plan" in finding.message


def test_a_node_pool_of_azure_that_trains_can_t_be_known_to_be_one_set():
    program = AzureProgram()
    program.add(
        "azure-native:containerservice:AgentPool",
        "gpus",
        resourceName="theirs",
        vmSize="Standard_ND96isr_H100_v5",
        count=4,
    )
    usage = Usage(purpose={"gpus": "training"})
    judged = of_resources(program.resources(), usage=usage)
    assert outcomes(judged, "fabric-scale-set") == ["not-knowable"]
    assert outcomes(judged, "fabric-placement") == ["not-applicable"]


@pytest.mark.parametrize(
    ("faults", "outcome", "words"),
    [
        ((), "fine", ""),
        (("it is wrong", "twice"), "violated", "it is wrong; twice"),
        (UNKNOWN, "not-knowable", "not known yet"),
    ],
    ids=str,
)
def test_faults_are_judged_on_the_cloud_that_reports_them(faults, outcome, words):
    told = joined(faults=rule_faults("fabric-scale-set", faults))
    (finding,) = findings(plan(group(cloud="azure", fabric=told)), "fabric-scale-set")
    assert (finding.outcome, finding.level) == (outcome, "mandatory")
    assert words in finding.message
    assert finding.refuses == (outcome != "fine")


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
def test_faults_are_not_judged_on_other_clouds(cloud):
    told = joined(faults=rule_faults("fabric-scale-set", ("it is wrong",)))
    (finding,) = findings(plan(group(cloud=cloud, fabric=told)), "fabric-scale-set")
    assert finding.outcome == "not-applicable"
    assert finding.message == f"{title(cloud)} connects machines without a scale set"
