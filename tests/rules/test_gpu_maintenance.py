"""What machines with GPUs do at host maintenance."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import gcp_stacks
from tests.rules.cases.judging import group, of_resources, outcomes, plan
from tests.rules.cases.moments import both


@pytest.mark.parametrize(
    ("maintenance", "outcome"),
    [(True, "fine"), (False, "violated"), (UNKNOWN, "not-knowable"), (None, "not-applicable")],
)
def test_machines_with_gpus_end_at_maintenance(maintenance, outcome):
    judged = plan(group(cloud="gcp", maintenance=maintenance))
    assert outcomes(judged, "gpu-maintenance") == [outcome]


@both
@pytest.mark.parametrize(
    ("setting", "outcome"),
    [("TERMINATE", "fine"), ("MIGRATE", "violated"), (UNKNOWN, "not-knowable")],
)
def test_google_moves_no_machine_with_a_gpu(setting, outcome, moment):
    program = gcp_stacks.open_machine(scheduling={"onHostMaintenance": setting})
    assert outcomes(of_resources(program.resources(moment)), "gpu-maintenance") == [outcome]


def test_other_clouds_have_no_such_setting():
    for cloud in ("aws", "azure"):
        assert outcomes(plan(group(cloud=cloud)), "gpu-maintenance") == ["not-applicable"]
