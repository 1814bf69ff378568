"""The time to live of machines that the cloud itself ends."""

from datetime import timedelta

import pytest

from gpuinfra.clouds.azure.accepting import ACCEPTS as AZURE
from gpuinfra.clouds.gcp.accepting import ACCEPTS as GCP
from gpuinfra.clouds.provider_contract import Accepts
from gpuinfra.specs.schema import Training

CHANGED = {
    AZURE: "counts from the next one",
    GCP: "replaces them at the next one, and counts from then",
}


def trainer(lives: timedelta | None) -> Training:
    return Training.model_construct(time_to_live=lives)


@pytest.mark.parametrize("cloud", [AZURE, GCP])
def test_a_note_says_when_machines_end_and_what_a_change_does(cloud: Accepts) -> None:
    assert cloud.workload_notes(trainer(None), (), None) == ()
    ends = "its machines are deleted, with their disks, 2d after its first `gpuinfra up`"
    note = f"{ends}; a changed time_to_live {CHANGED[cloud]}"
    assert cloud.workload_notes(trainer(timedelta(days=2)), (), None) == (note,)


@pytest.mark.parametrize("cloud", [AZURE, GCP])
@pytest.mark.parametrize(("seconds", "faults"), [(29, 1), (30, 0), (121 * 86_400, 1)])
def test_a_time_that_the_cloud_does_not_take_is_a_fault(
    cloud: Accepts, seconds: int, faults: int
) -> None:
    lives = timedelta(seconds=seconds)

    assert len([*cloud.workload_faults("trainer", trainer(lives), (), None)]) == faults
