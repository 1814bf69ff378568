"""The allow-list of words covers the whole grammar, and says why a cloud refuses one."""

from importlib import import_module
from typing import Any

import pytest

from gpuinfra.clouds import CLOUDS
from gpuinfra.clouds.supported_keys import (
    AWS_ONLY,
    EVERYWHERE,
    RESOURCES_INSTEAD,
    accepts,
    builders_of,
    reason,
)
from gpuinfra.errors import InputError
from gpuinfra.planning import from_stack
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.schema import Budget, Inference, ScaleOn, Stack, Step, Training
from gpuinfra.specs.storage import Bucket
from gpuinfra.stackfile import loads

PARTS: dict[str, Any] = {
    "budget.": Budget,
    "scale_on.": ScaleOn,
    "capacity.": Step,
    "network.": NetworkSpec,
}
KINDS = ("on-demand", "spot", "reserved", "capacity-block")


def words() -> set[str]:
    whole = {word for kind in (Stack, Training, Inference, Bucket) for word in kind.model_fields}
    below = {f"{at}{word}" for at, kind in PARTS.items() for word in kind.model_fields}
    return whole | below | {f"capacity.{kind}" for kind in KINDS}


def test_every_word_of_the_grammar_is_listed_once() -> None:
    assert words() == EVERYWHERE | AWS_ONLY.keys(), (
        "gpuinfra/clouds/accepts.json lists each key of the stack file, and no other"
    )
    assert EVERYWHERE & AWS_ONLY.keys() == set(), "listed twice in gpuinfra/clouds/accepts.json"


def test_a_word_that_is_not_listed_is_refused_everywhere() -> None:
    assert [accepts(cloud, "new_word") for cloud in CLOUDS] == [False] * len(CLOUDS)
    assert builders_of("new_word") == ()


@pytest.mark.parametrize("word", sorted(AWS_ONLY))
def test_aws_builds_what_others_do_not(word: str) -> None:
    assert accepts("aws", word)
    assert builders_of(word) == ("aws",)


@pytest.mark.parametrize("word", sorted(AWS_ONLY))
def test_every_refusal_has_a_reason(word: str) -> None:
    assert len(reason(word).split()) > 4
    assert "yet" not in reason(word).split()


def test_a_refusal_says_why_and_who_builds_it() -> None:
    text = (
        "version: 1\nname: lab\nowner: me\nwhere: {cloud: gcp, regions: [us-central1]}\n"
        "training: {dev: {gpu: 'L4:1', ena_express: true, preflight: true}}\n"
    )
    with pytest.raises(InputError) as caught:
        from_stack(loads(text).stack)
    express, preflight = sorted(caught.value.problems, key=lambda problem: problem.value)

    assert express.message == f"ena_express is not supported on gcp: {reason('ena_express')}"
    assert preflight.message == f"preflight is not supported on gcp: {reason('preflight')}"
    assert express.allowed == preflight.allowed == "on aws"


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_a_pool_has_no_end_where_its_autoscaler_replaces_machines(cloud: str) -> None:
    region, gpu = {"gcp": ("us-central1", "L4:1"), "azure": ("eastus", "T4:1")}[cloud]
    text = (
        f"version: 1\nname: lab\nowner: me\nwhere: {{cloud: {cloud}, regions: [{region}]}}\n"
        f"inference: {{chat: {{gpu: '{gpu}', replicas: 2..3, time_to_live: 72h, image: 'a/b:1', "
        "port: 80, scale_on: {gpu_utilization: 70%}}}\n"
    )
    with pytest.raises(InputError) as caught:
        from_stack(loads(text).stack)

    (problem,) = caught.value.problems
    why = reason("time_to_live", cloud)
    assert problem.message == f"time_to_live is not supported on {cloud}: {why}"
    assert problem.allowed == "on aws"


def test_machines_of_a_run_end_on_every_cloud() -> None:
    assert builders_of("time_to_live") == CLOUDS
    assert builders_of("time_to_live", pool=True) == ("aws",)


def test_the_types_of_a_program_are_in_the_sdks() -> None:
    modules = {"gcp": "pulumi_gcp.monitoring", "azure": "pulumi_azure_native.monitor"}

    assert {cloud for _, cloud in RESOURCES_INSTEAD} == {*modules}
    for (word, cloud), types in RESOURCES_INSTEAD.items():
        assert not accepts(cloud, word)
        prefix = modules[cloud].removeprefix("pulumi_")
        first, second = types.removeprefix(f"{prefix}.").split(" and ")
        for name in (first, second):
            assert hasattr(import_module(modules[cloud]), name)
