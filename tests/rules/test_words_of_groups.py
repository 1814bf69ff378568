"""What rules say of a group's machines, disks and file systems, good or bad."""

from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, FileSystem, GroupLifecycle, Safety
from tests.rules.cases.judging import findings, group, outcomes, plan


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (None, "disks are encrypted"),
        (False, "disks are encrypted"),
        (UNKNOWN, "disks are encrypted"),
        (True, "disks, temporary disks and host caches are encrypted"),
    ],
)
def test_encryption_says_whether_it_is_the_host_s_too(host: Any, message: str) -> None:
    judged = group(safety=Safety(disks_encrypted=True, host_encrypted=host))

    (finding,) = findings(plan(judged), "disk-encrypted")

    assert finding.message == message


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("metadata-v2", "metadata_v2"),
        ("public-address", "public_ip"),
        ("administrator-role", "administrator"),
    ],
)
def test_each_fact_of_a_machine_s_safety(rule: str, field: str) -> None:
    good = field == "metadata_v2"

    assert outcomes(plan(group(safety=Safety(**{field: good}))), rule) == ["fine"]
    assert outcomes(plan(group(safety=Safety(**{field: not good}))), rule) == ["violated"]
    assert outcomes(plan(group(safety=Safety(**{field: UNKNOWN}))), rule) == ["not-knowable"]


FAULT = rule_faults("image-pinned", ("its container image is not pinned",))
MACHINE = "its machine image is not pinned: machines of one group may start from different images"


@pytest.mark.parametrize(
    ("pinned", "faults", "outcome", "message"),
    [
        (True, (), "fine", "its machine image is pinned"),
        (True, FAULT, "violated", "its container image is not pinned"),
        (False, (), "violated", MACHINE),
        (False, FAULT, "violated", f"{MACHINE}; its container image is not pinned"),
        (UNKNOWN, (), "not-knowable", "it is unknown whether its machine image is pinned"),
        (UNKNOWN, FAULT, "violated", "its container image is not pinned"),
    ],
)
def test_images_of_machines_and_containers_are_judged_together(
    pinned: Any, faults: Any, outcome: str, message: str
) -> None:
    judged = group(lifecycle=GroupLifecycle(image_pinned=pinned), faults=faults)

    (finding,) = findings(plan(judged), "image-pinned")

    assert (finding.outcome, finding.message) == (outcome, message)


@pytest.mark.parametrize(
    ("rule", "field"),
    [("file-system-encrypted", "encrypted"), ("shared-storage-zone", "one_zone")],
)
def test_each_fact_of_a_file_system(rule: str, field: str) -> None:
    def outcome(value: Any) -> list[str]:
        files = FileSystem(
            name="scratch",
            subject="urn:scratch",
            cloud="aws",
            kind="efs",
            region=None,
            **{field: value},
        )
        return outcomes(plan(file_systems=(files,)), rule)

    assert outcome(True) == ["fine"]
    assert outcome(False) == ["violated"]
    assert outcome(UNKNOWN) == ["not-knowable"]
