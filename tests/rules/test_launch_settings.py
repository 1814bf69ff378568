"""Settings of launch templates."""

import pytest

from gpuinfra.clouds.observed_rules import judges
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import findings, group, outcomes, plan
from tests.rules.cases.verdicts import verdicts


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ((), ("fine", "launch settings are valid")),
        (("one", "two"), ("violated", "one; two")),
        (UNKNOWN, ("not-knowable", "its launch settings are not known yet")),
    ],
    ids=str,
)
def test_launch_settings_are_valid(faults, expected):
    told = group(faults=rule_faults("launch-settings", faults))
    assert verdicts(plan(told), "launch-settings") == [expected]
    assert outcomes(plan(), "launch-settings") == ["not-applicable"]


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_cloud_without_launch_settings_is_not_applicable(cloud):
    (finding,) = findings(plan(group(cloud=cloud)), "launch-settings")
    assert finding.outcome == ("fine" if judges(cloud, "launch-settings") else "not-applicable")
