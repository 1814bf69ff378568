"""Confidential machines and nodes, by what their machine types take."""

import pytest

from gpuinfra.model import UNKNOWN, faults_of
from tests.clouds.gcp.observe.observed import machine, only
from tests.rules.cases import gcp_stacks as stacks

SEV = {"enableConfidentialCompute": True, "confidentialInstanceType": "SEV"}
TDX = {"confidentialInstanceType": "TDX"}
ABLE = "a3-highgpu-1g, c2d, c3-standard, c3d, c4d, n2d"


@pytest.mark.parametrize(
    ("type_", "config", "fault"),
    [
        ("n2d-standard-4", {"enableConfidentialCompute": True}, ""),
        ("n2d-standard-4", SEV, ""),
        ("a3-highgpu-1g", TDX, ""),
        ("a3-highgpu-1g", {"enableConfidentialCompute": True}, ""),
        ("g2-standard-4", {"enableConfidentialCompute": False}, ""),
        ("g2-standard-4", UNKNOWN, ""),
        ("c4-standard-4", TDX, ""),
        ("g4-standard-48", SEV, ""),
        ("n2d-standard-4", {**SEV, "confidentialInstanceType": UNKNOWN}, ""),
        ("g2-standard-4", SEV, f"g2-standard-4 can't be confidential, which types of {ABLE} can"),
        (
            "a3-highgpu-8g",
            TDX,
            f"a3-highgpu-8g can't be confidential, which types of {ABLE} can",
        ),
        (
            "n2d-standard-4",
            TDX,
            (
                "n2d-standard-4 does not support the confidential technology TDX: "
                "use SEV or SEV_SNP"
            ),
        ),
    ],
)
def test_machines_are_confidential_where_their_type_can_be(type_, config, fault):
    group = machine(machineType=type_, confidentialInstanceConfig=config)
    assert faults_of(group.faults, "launch-settings") == ((fault,) if fault else ())


@pytest.mark.parametrize(
    ("config", "maintenance", "platform", "refused"),
    [
        (SEV, "MIGRATE", "AMD Milan", False),
        (SEV, "MIGRATE", UNKNOWN, False),
        (SEV, "MIGRATE", None, True),
        ({"enableConfidentialCompute": True}, "MIGRATE", "AMD Genoa", False),
        ({"confidentialInstanceType": "SEV_SNP"}, "MIGRATE", "AMD Milan", True),
        ({"confidentialInstanceType": "SEV_SNP"}, "TERMINATE", None, False),
        ({"enableConfidentialCompute": False}, "MIGRATE", None, False),
    ],
)
def test_a_confidential_machine_moves_with_sev_on_newer_processors(
    config, maintenance, platform, refused
):
    group = machine(
        machineType="n2d-standard-4",
        confidentialInstanceConfig=config,
        minCpuPlatform=platform,
        scheduling={"onHostMaintenance": maintenance},
    )
    assert bool(faults_of(group.faults, "launch-settings")) is refused


@pytest.mark.parametrize(
    ("nodes", "cluster", "refused"),
    [
        ({"machineType": "g2-standard-4"}, {"enabled": True}, True),
        ({"machineType": "g2-standard-4"}, {"enabled": False}, False),
        ({"machineType": "n2d-standard-4"}, {"enabled": True}, False),
        ({"machineType": "g2-standard-4", "confidentialNodes": {"enabled": True}}, {}, True),
    ],
)
def test_nodes_are_confidential_where_their_machine_type_can_be(nodes, cluster, refused):
    program = stacks.gke({"nodeConfig": nodes, "nodeCount": 1}, confidentialNodes=cluster)
    assert bool(faults_of(only(program).faults, "launch-settings")) is refused
