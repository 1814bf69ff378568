"""The places that `init` takes and refuses, and what it says of GPUs and of costs."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run, written_region


@pytest.mark.parametrize(
    ("options", "message", "fix"),
    [
        (
            ("--where", "us-east-1", "--cloud", "gcp"),
            "us-east-1 is a region of aws, not of gcp",
            "write --cloud aws, or --where us-east4,",
        ),
        (
            ("--where", "eu-north-1", "--cloud", "azure", "--what", "pool"),
            "eu-north-1 is a region of aws, not of azure",
            "write --cloud aws, or --where swedencentral,",
        ),
        (("--where", "gcp", "--cloud", "aws"), "gcp is another cloud", "name one cloud"),
        (("--where", "oslo", "--cloud", "aws"), "AWS has no region there", "write another"),
        (
            ("--where", "us-east-1", "--cloud", "gcp", "--what", "everything"),
            "us-east-1 is a region of aws, not of gcp",
            "write --cloud aws",
        ),
    ],
)
def test_a_place_of_another_cloud_is_refused(
    gpuinfra: Run, tmp_path: Path, options: tuple[str, ...], message: str, fix: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", *options)

    assert done.code == 2
    assert message in done.err
    assert fix in " ".join(done.err.split())
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(("where", "expected"), [("us-east4", "us-east4"), ("europe", "europe-")])
def test_a_place_of_the_named_cloud_is_kept(
    gpuinfra: Run, tmp_path: Path, where: str, expected: str
) -> None:
    assert gpuinfra("init", tmp_path / "mine", "--cloud", "gcp", "--where", where).code == 0

    assert written_region(tmp_path / "mine").startswith(expected)


def test_caps_are_said_to_be_written_by_init(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--where", "us-east-1")

    told = " ".join(done.err.split())
    assert "caps written for you, 20 to 30% above the maximum cost; lower them to what " in told
    assert "(cap " not in done.err


@pytest.mark.parametrize("model", ["70B", "llama-3.1-70b"])
def test_a_model_is_no_gpu(gpuinfra: Run, tmp_path: Path, model: str) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--gpu", model)

    assert refused.code == 2
    assert "this is a model, not a GPU" in refused.err
    assert f"as ranked by: gpuinfra choose --for-model {model}" in refused.err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("given", "place", "near"),
    [
        (
            ("--gpu", "A100:1", "--where", "berlin"),
            "berlin",
            "near it: gcp europe-west4, azure germanywestcentral: --where europe compares them",
        ),
        (
            ("--gpu", "A100:1", "--where", "berlin", "--cloud", "azure"),
            "berlin (azure)",
            "near it: azure germanywestcentral: --where europe compares them",
        ),
        (
            ("--gpu", "TRAINIUM1:16", "--where", "africa"),
            "africa",
            "elsewhere: aws us-east-1: --where any compares them",
        ),
    ],
)
def test_regions_near_a_place_without_the_gpus_are_named(
    gpuinfra: Run, tmp_path: Path, given: tuple[str, ...], place: str, near: str
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", *given)

    assert refused.code == 2
    assert f"no region in {place} has {given[1]}\n" in refused.err
    assert f"  fix:     {near}\n" in refused.err
    assert refused.err.count("fix:") == 1
    assert not (tmp_path / "mine").exists()


def test_a_count_that_no_region_has_is_no_fault_of_the_place(
    gpuinfra: Run, tmp_path: Path
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--gpu", "L4:3", "--where", "berlin")

    assert refused.code == 2
    assert "use another count" in refused.err
    assert "no region in" not in refused.err


@pytest.mark.parametrize(
    ("cloud", "size"),
    [
        ("aws", r"4 machines \(2 to 4 as it scales\)"),
        ("gcp", r"6 machines \(2 to 4 as it scales and 2 more during an update\)"),
        ("azure", r"5 machines \(2 to 4 as it scales and 1 more during an update\)"),
    ],
)
def test_the_price_of_a_pool_is_explained(
    gpuinfra: Run, tmp_path: Path, cloud: str, size: str
) -> None:
    told = gpuinfra("init", tmp_path / "mine", "--what", "pool", "--where", cloud).err

    machine = rf"chat: \S+ \(1 × (?:L4|T4)\), {cloud} \S+, on-demand, \$[\d.]+/h each"
    counted = f"; counts at {size}, and what is around them\n"
    most = r"costs at most \$[\d.]+/h, \$[\d.,]+/month; \$[\d.]+/h, \$[\d.,]+/month"
    assert re.search(rf"^{machine}{counted}{most} with 2 machines$", told, re.MULTILINE)


@pytest.mark.parametrize("place", ["New York", "mars", "antarctica"])
def test_an_unknown_place_lists_all_that_may_be_named_and_guesses_none(
    gpuinfra: Run, tmp_path: Path, place: str
) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--where", place)
    told = " ".join(refused.err.split())

    assert refused.code == 2
    assert "allowed: aws, gcp, azure, any; africa, asia, europe, north-america, " in told
    assert "; or a country, a city or a region of aws, gcp, azure" in told
    assert "did you mean" not in told
    assert (
        "aws, gcp, azure, any"
        not in gpuinfra("init", tmp_path / "mine", "--where", place, "--cloud", "gcp").err
    )


def test_a_place_may_be_called_a_region(gpuinfra: Run, tmp_path: Path) -> None:
    assert gpuinfra("init", tmp_path / "mine", "--region", "us-east-2").code == 0
    assert written_region(tmp_path / "mine") == "us-east-2"
