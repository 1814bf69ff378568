"""What rules say of a group's machines, disks and file systems, good or bad."""

from dataclasses import replace
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


def test_machines_with_nvlink_are_all_named() -> None:
    mixed = group(machines=("p5.48xlarge", "p4d.24xlarge"), nvlink_wish=True)

    (finding,) = findings(plan(mixed), "nvlink")
    (single,) = findings(plan(replace(mixed, machines=())), "nvlink")

    assert finding.message == "p5.48xlarge, p4d.24xlarge: NVLink connects the GPUs"
    assert single.message == "p5.48xlarge: NVLink connects the GPUs"


@pytest.mark.parametrize(
    ("capacity", "message"),
    [
        ("spot", "spot machines may have an eviction policy"),
        ("on-demand", "no eviction policy; its machines are never evicted"),
    ],
)
def test_an_eviction_policy_is_for_spot_machines(capacity: str, message: str) -> None:
    (finding,) = findings(plan(group(capacity=capacity, cloud="azure")), "eviction-policy")

    assert (finding.outcome, finding.message) == ("fine", message)


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
