"""An error about a wrong word shows those that look like it, and the command that lists all."""

import json

import pytest

from gpuinfra.catalog.continents import continent_of
from gpuinfra.clouds import PRICED_CLOUDS, priced_cloud_of
from gpuinfra.similar_words import closest
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("given", "first"),
    [
        (("choose", "L4:1", "--region", "us-esat-1"), "us-east-1, "),
        (("choose", "L4:1", "--cloud", "gcp", "--region", "us-centrall1"), "us-central1, "),
        (("choose", "H10:1"), "H100-NVL-94GB, "),
        (("choose", "g6.9xlarge"), "g6."),
    ],
)
def test_the_closest_words_are_first_and_few(
    gpuinfra: Run, given: tuple[str, ...], first: str
) -> None:
    ran = gpuinfra(*given)

    (allowed,) = (line for line in ran.err.splitlines() if line.startswith("  allowed: "))
    words = allowed.removeprefix("  allowed: ")
    assert ran.code == 2
    assert words.startswith(first)
    assert words.count(", ") <= 8


@pytest.mark.parametrize(
    ("word", "meant"), [("cap-per-yaer", "cap-per-hour"), ("budgt", "budget"), ("laddr", "ladder")]
)
def test_the_closest_word_of_explain_is_alone(gpuinfra: Run, word: str, meant: str) -> None:
    ran = gpuinfra("explain", word)

    assert ran.code == 2
    assert f"did you mean '{meant}'?" in ran.err
    assert "allowed: " not in ran.err
    assert gpuinfra("explain", meant).code == 0


@pytest.mark.parametrize(
    ("given", "command"),
    [
        (("choose", "L4:1", "--region", "us-esat-1"), "gpuinfra catalog regions"),
        (("choose", "L4:1", "--region", "mars"), "gpuinfra catalog regions"),
        (
            ("choose", "L4:1", "--cloud", "aws", "--region", "us-central1"),
            "gpuinfra catalog regions --cloud aws",
        ),
        (("choose", "Foo:1"), "gpuinfra catalog ls"),
        (("choose", "Foo:1", "--cloud", "gcp"), "gpuinfra catalog ls --cloud gcp"),
        (("explain", "budgt"), "gpuinfra explain"),
    ],
)
def test_the_command_that_lists_them_all_is_named_and_runs(
    gpuinfra: Run, given: tuple[str, ...], command: str
) -> None:
    assert f"`{command}` lists " in gpuinfra(*given).err
    assert gpuinfra(*command.split()[1:]).code == 0


def test_regions_are_listed_by_cloud_and_continent(gpuinfra: Run) -> None:
    listed = json.loads(gpuinfra("catalog", "regions", "--json").out)

    assert list(listed) == list(PRICED_CLOUDS)
    for cloud, by_continent in listed.items():
        regions = [region for part in by_continent.values() for region in part]
        assert sorted(regions) == sorted(priced_cloud_of(cloud).regions.all())
    assert continent_of("eu-west-1") == "europe"
    assert "eu-west-1" in listed["aws"]["europe"]
    assert list(json.loads(gpuinfra("catalog", "regions", "--cloud", "gcp", "--json").out)) == [
        "gcp"
    ]


def test_words_that_look_like_none_stay_in_their_order() -> None:
    words = ["us-east-1", "eu-west-1", "ap-south-1"]

    assert closest("mars", words) == words
    assert closest("ap-suoth-1", words)[0] == "ap-south-1"


@pytest.mark.parametrize(
    ("asked", "fix"),
    [
        (("RTX4090",), "nearest in memory and speed: L4 (24 GB, "),
        (("A30",), "use another GPU: nearest in memory and speed: L4 (24 GB, "),
        (("A30", "--cloud", "alibaba"), "use another purchase option (alibaba, "),
        (("T4", "--architecture", "arm64"), "use another architecture: x86_64"),
    ],
)
def test_a_gpu_that_no_built_cloud_has_leads_to_one_that_has(
    gpuinfra: Run, asked: tuple[str, ...], fix: str
) -> None:
    ran = gpuinfra("choose", *asked, "--as-of", "2026-11-20")

    assert ran.code == 2
    assert f"fix:     {fix}" in " ".join(ran.err.split("\n"))
