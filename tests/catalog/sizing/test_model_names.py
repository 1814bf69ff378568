"""Models in a word: what a size, a name and a repository mean, and what is no model."""

import pytest

from gpuinfra.catalog.gpus import gpu_names
from gpuinfra.catalog.sizing.model_names import published_model, size_in, suggested_model
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("70B", "70B"),
        ("7b", "7B"),
        ("70 billion", "70B"),
        ("1.8T", "1.8T"),
        ("8x7B", "mixtral-8x7b"),
        ("llama-3.1-70b", "llama-3.1-70b"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"),
        ("Llama 3.1 70B", "llama-3.1-70b"),
        ("falcon-40b", "40B"),
        ("9x9b", ""),
        ("qwen", ""),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", ""),
    ],
)
def test_a_model_is_told_from_its_size_or_its_name(word: str, meant: str) -> None:
    assert suggested_model(word) == meant


@pytest.mark.parametrize("word", ["80GB", "80GB..", "80", "70MB", "H10O", "p5.48xlarg", ""])
def test_what_is_no_model_is_none(word: str) -> None:
    assert suggested_model(word) is None


def test_no_gpu_and_no_machine_type_is_a_model() -> None:
    types = {
        machine.type
        for cloud in PRICED_CLOUDS
        for machine in priced_cloud_of(cloud).machines.all_machines()
    }

    assert [word for word in {*gpu_names(), *types} if suggested_model(word) is not None] == []


def test_the_longest_name_counts_and_a_number_ends_where_it_ends() -> None:
    names = ("llama-3-8b", "llama-3.1-8b", "llama-3-70b", "qwen2.5-7b")

    assert published_model("meta-llama/Meta-Llama-3-8B-Instruct", names) == "llama-3-8b"
    assert published_model("meta-llama/Llama-3.1-8B", names) == "llama-3.1-8b"
    assert published_model("Qwen/Qwen2.5-72B", names) is None


def test_weights_of_fewer_bits_leave_the_size_unknown() -> None:
    assert (size_in("falcon-40b"), size_in("falcon-40b-int4")) == ("40B", "")
