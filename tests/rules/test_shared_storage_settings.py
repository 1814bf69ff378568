"""Settings of file systems that the clouds refuse."""

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN
from tests.rules.cases.file_systems import FILES, amlfs, managed_lustre, mounted
from tests.rules.cases.judging import findings, group, of_resources, outcomes, plan


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"perUnitStorageThroughput": "200"}, "200; allowed: 125, 250, 500, 1000"),
        ({"capacityGib": 8999}, "8,999 is not between 9,000 and 7,632,000"),
        ({"capacityGib": 9000}, ""),
        ({"capacityGib": 7_632_000}, ""),
        ({"capacityGib": 7_632_001}, "is not between"),
        ({"capacityGib": UNKNOWN, "perUnitStorageThroughput": UNKNOWN}, ""),
    ],
)
def test_sizes_and_speeds_that_google_refuses(inputs, words):
    judged = of_resources(managed_lustre(**inputs).resources())
    (finding,) = findings(judged, "shared-storage-settings")
    assert finding.outcome == ("violated" if words else "fine")
    assert words in finding.message


def test_lustre_of_azure_stands_in_one_zone():
    (finding,) = findings(
        of_resources(amlfs(zones=["1", "2"]).resources()), "shared-storage-settings"
    )
    assert "2 are named; it is in one" in finding.message


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"faults": rule_faults("shared-storage-settings", ("size: too small",))}, "violated"),
        ({"faults": rule_faults("shared-storage-settings", UNKNOWN)}, "not-knowable"),
    ],
    ids=str,
)
def test_a_file_system_has_settings_that_its_cloud_takes(changes, outcome):
    (finding,) = findings(mounted(**changes), "shared-storage-settings")
    assert (finding.outcome, finding.subject) == (outcome, FILES.subject)
    assert bool(finding.fix) == (outcome != "fine")


def test_without_a_file_system_shared_storage_settings_do_not_apply():
    assert outcomes(plan(group()), "shared-storage-settings") == ["not-applicable"]
