"""Models of speech and of images: sized by what was measured, refused where nothing was."""

from decimal import Decimal

import pytest

from gpuinfra.catalog.sizing.machine_fit import (
    ModelRequest,
    fewest_machines,
    memory_need,
    misfit_reason,
    model_request_of,
    refusals,
)
from gpuinfra.catalog.sizing.measured_models import measured_models
from gpuinfra.catalog.sizing.shapes import models
from gpuinfra.clouds import provider_of
from gpuinfra.specs.for_model import ForModel

FLUX = ModelRequest(parameters=12 * 10**9, name="flux.1-dev", task="serve")
G6 = provider_of("aws").machines.get("g6.12xlarge")
G6E = provider_of("aws").machines.get("g6e.12xlarge")


def refused(**words: object) -> set[str]:
    request = model_request_of(ForModel(**words), "serve")
    return {problem.path[0] for problem in refusals(request)}


class TestWhatIsNeeded:
    def test_flux_takes_its_peak_in_gib_and_a_tenth_of_the_gpu_is_left_free(self):
        """36.166 of 1024^3 bytes: https://huggingface.co/blog/diffusers-quantization."""
        measured, free = memory_need(FLUX, 1).terms

        assert measured.gigabytes == Decimal("36.166") * 2**30 / 10**9
        assert free.gigabytes == measured.gigabytes / 9
        assert "2025-05" in measured.source

    def test_every_gpu_holds_the_whole_however_many_there_are(self):
        assert memory_need(FLUX, 4).per_gpu_gb == memory_need(FLUX, 1).per_gpu_gb
        assert "more machines would not help" in misfit_reason(FLUX, G6)
        assert fewest_machines(FLUX, G6E) == 1

    @pytest.mark.parametrize(("precision", "fits"), [("int4", True), ("int8", False)])
    def test_a_precision_has_its_own_measurement(self, precision, fits):
        request = model_request_of(ForModel(name="flux.1-dev", precision=precision), "serve")

        assert (fewest_machines(request, G6) == 1) is fits

    def test_what_was_assumed_is_said(self):
        assert memory_need(FLUX, 1).assumptions == (
            "an image of 1024 × 1024, 1 at once",
            "weights in bf16",
            "each GPU serves a whole copy of the model",
        )


class TestWhatIsRefused:
    def test_what_was_measured_is_accepted(self):
        for name, measurements in measured_models().items():
            for each in measurements:
                assert not refused(name=name, precision=each.precision or None, batch=each.batch)

    @pytest.mark.parametrize("task", ["train", "fine-tune", "lora"])
    def test_training_was_not_measured(self, task):
        assert "task" in refused(name="sdxl-base-1.0", task=task)

    def test_a_training_workload_does_not_become_one_that_serves(self):
        request = model_request_of(ForModel(name="flux.1-dev"), "train")

        assert {problem.path for problem in refusals(request)} == {("task",)}

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("sharding", "tensor"),
            ("precision", "int8"),
            ("context", 448),
            ("batch", 5),
            ("hidden", 1280),
            ("optimizer", "sgd"),
        ],
    )
    def test_what_has_no_measurement_or_no_effect(self, key, value):
        assert refused(name="sdxl-base-1.0", **{key: value}) == {key}

    def test_a_model_without_a_known_precision_takes_none(self):
        assert refused(name="whisper-turbo", precision="fp16") == {"precision"}


def test_no_model_has_both_a_shape_and_a_measurement():
    assert not models().keys() & measured_models().keys()


def test_rows_of_a_model_agree_on_its_size_and_differ_in_precision():
    for measurements in measured_models().values():
        assert len({each.parameters for each in measurements}) == 1
        assert len({each.precision for each in measurements}) == len(measurements)
