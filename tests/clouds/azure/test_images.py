import re

import pytest

from gpuinfra.clouds.azure.images import has_image, public_image
from gpuinfra.clouds.azure.machines import MACHINES, machine
from gpuinfra.clouds.azure.tables import TABLES


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_images_serve_sizes_of_the_table_that_take_their_generation(purpose) -> None:
    image = public_image(purpose, "x86_64")
    served = {machine.type for machine in MACHINES.all_machines() if has_image(machine, purpose)}

    assert served == set(image.sizes)
    assert all(machine(size).architecture == "x86_64" for size in served)
    for row in TABLES.rows("capabilities"):
        assert row["generation_2"] or served.isdisjoint(row["sizes"])


@pytest.mark.parametrize("purpose", ["training", "inference"])
def test_an_image_is_pinned_sourced_and_dated(purpose) -> None:
    image = public_image(purpose, "x86_64")

    assert re.fullmatch(r"microsoft-dsvm:ubuntu-hpc:2204:22\.04\.\d{10}", image.reference)
    assert image.source
    assert image.as_of == "2026-09-27"
    assert image.generation == 2


@pytest.mark.parametrize(
    "size",
    [
        "Standard_NV6ads_A10_v5",
        "Standard_NC6s_v3",
        "Standard_ND40rs_v2",
        "Standard_ND96isr_MI300X_v5",
        "Standard_ND128isr_NDR_GB200_v6",
    ],
)
def test_what_wants_another_driver_has_no_image(size: str) -> None:
    assert not has_image(machine(size), "training")


def test_no_image_is_known_for_another_processor() -> None:
    assert public_image("training", "arm64") is None
    assert public_image("inference", None) is None
