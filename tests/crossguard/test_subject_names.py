"""The components are those that gpuinfra registers: their types are written in two houses."""

from gpuinfra.components import bucket, inference, training
from gpuinfra.components.stack import ROOT
from gpuinfra.crossguard import policy_settings
from gpuinfra.crossguard.subject_names import SECTIONS


def test_every_component_of_a_stack_file_has_its_section():
    assert policy_settings.ROOT == ROOT
    assert SECTIONS == {
        training.NODE: "training",
        training.CLUSTER: "training",
        inference.POOL: "inference",
        bucket.BUCKET: "buckets",
    }
