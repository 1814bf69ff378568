"""Network cards of the interfaces of a fabric."""

import pytest

from gpuinfra.clouds import title
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.fabric import joined
from tests.rules.cases.judging import findings, group, plan


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
    told = joined(faults=rule_faults("fabric-cards", faults))
    (finding,) = findings(plan(group(cloud="aws", fabric=told)), "fabric-cards")
    assert (finding.outcome, finding.level) == (outcome, "mandatory")
    assert words in finding.message
    assert finding.refuses == (outcome != "fine")


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_faults_are_not_judged_on_other_clouds(cloud):
    told = joined(faults=rule_faults("fabric-cards", ("it is wrong",)))
    (finding,) = findings(plan(group(cloud=cloud, fabric=told)), "fabric-cards")
    assert finding.outcome == "not-applicable"
    assert finding.message == f"{title(cloud)} has no network cards to declare"
