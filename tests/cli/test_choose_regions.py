"""The regions that `gpuinfra choose` searches: all, a continent's, or those that are named."""

import json
import re

import pytest

from gpuinfra.cli import cheapest
from tests.cli.conftest import Run


def test_a_refusal_counts_many_regions_and_does_not_name_them(gpuinfra: Run) -> None:
    everywhere = gpuinfra("choose", "H100:9").err
    europe = gpuinfra("choose", "H100:9", "--region", "europe").err

    assert "no machine type fits: H100:9, on-demand, in any region\n" in everywhere
    assert re.search(r"H100:9, on-demand, in any of \d\d regions\n", europe)


def test_every_region_is_searched_by_default_and_by_the_word_any(gpuinfra: Run) -> None:
    command = ("choose", "p5.48xlarge", "--cloud", "aws", "--json")
    answer = json.loads(gpuinfra(*command).out)

    assert len({candidate["region"] for candidate in answer["ranked"]}) > 3
    assert answer == json.loads(gpuinfra(*command, "--region", "any").out)


@pytest.mark.parametrize(
    ("gpu", "where"), [("MI300X:8", "azure eastus2"), ("TRAINIUM2:16", "aws us-east-2")]
)
def test_what_the_usual_regions_lack_is_found_elsewhere(
    gpuinfra: Run, gpu: str, where: str
) -> None:
    ran = gpuinfra("choose", gpu)

    assert ran.code == 0
    assert where in ran.out


def test_each_machine_stands_once_and_all_lists_the_other_places(gpuinfra: Run) -> None:
    short = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws")
    full = gpuinfra("choose", "p5.48xlarge", "--cloud", "aws", "--all")

    assert short.out.count("p5.48xlarge  ") == 1
    assert "each in its cheapest region; --all lists 13 more places" in short.out
    assert "aws eu-north-1" in full.out


def test_a_continent_means_its_regions(gpuinfra: Run) -> None:
    answer = json.loads(gpuinfra("choose", "H100:8", "--region", "europe", "--json").out)

    regions = {candidate["region"] for candidate in answer["ranked"]}
    assert {"eu-north-1", "europe-west4", "uksouth", "europe-central-1"} <= regions
    assert not any(region.startswith(("us", "ap-", "asia")) for region in regions)


def test_a_continent_without_regions_of_the_cloud_is_refused(gpuinfra: Run) -> None:
    ran = gpuinfra("choose", "T4", "--cloud", "tencent", "--region", "europe")

    assert ran.code == 2
    assert "europe" in ran.err


@pytest.mark.parametrize(
    ("word", "meant"),
    [("europ", "europe"), ("europa", "europe"), ("northamerica", "north-america")],
)
def test_a_misspelt_continent_is_told_before_a_region_that_is_less_alike(
    word: str, meant: str, gpuinfra: Run
) -> None:
    ran = gpuinfra("choose", "L4", "--region", word)

    assert ran.code == 2
    assert f"  did you mean '{meant}'?\n  allowed: africa, asia, " in ran.err
    assert "; or a country, a city or a region of aws, " in " ".join(ran.err.split())
    assert "'westeurope'" not in ran.err


@pytest.mark.parametrize(("columns", "told"), [("80", False), ("120", True)])
def test_dates_are_explained_only_where_they_are_shown(
    gpuinfra: Run, monkeypatch: pytest.MonkeyPatch, columns: str, told: bool
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = gpuinfra("choose", "H100:8", "--region", "eu-north-1").out

    assert ("price of" in out.split("──")[0]) is told
    assert ("price of DAY/DAY" in out) is told


def test_what_cannot_be_built_has_a_note_only_where_it_is_shown(gpuinfra: Run) -> None:
    europe = gpuinfra("choose", "--for-model", "7B", "--region", "europe")
    everywhere = gpuinfra("choose", "H100:8")

    assert "°" not in europe.out
    assert "lambda°" in everywhere.out
    assert "° lambda: priced only: gpuinfra can't build there" in everywhere.out


@pytest.mark.parametrize("word", ["tokyo", "Frankfurt", "us"])
def test_a_city_or_a_country_means_its_regions_as_it_does_to_init(
    gpuinfra: Run, word: str
) -> None:
    ran = gpuinfra("choose", "L4:1", "--region", word, "--json")
    regions = {candidate["region"] for candidate in json.loads(ran.out)["ranked"]}

    assert regions
    assert regions <= set(cheapest.place_regions(word))
    assert gpuinfra("choose", "L4:1", "--where", word, "--json").out == ran.out


@pytest.mark.parametrize(("word", "plain"), [("São Paulo", "sao paulo"), ("Zürich", "zurich")])
def test_a_place_may_be_written_with_its_accents(gpuinfra: Run, word: str, plain: str) -> None:
    ran = gpuinfra("choose", "L4:1", "--where", word, "--json")

    assert ran.code == 0
    assert gpuinfra("choose", "L4:1", "--where", plain, "--json").out == ran.out


@pytest.mark.parametrize(
    ("word", "meant"), [("tokio", "did you mean tokyo?"), ("munich", ""), ("warschau", "")]
)
def test_another_city_is_no_misspelt_one(gpuinfra: Run, word: str, meant: str) -> None:
    """Munich has as many letters of Zurich as a misspelt name may have."""
    (fix,) = re.findall(r"  fix:     (.*)\n", gpuinfra("choose", "L4:1", "--where", word).err)

    assert fix.startswith(meant or "`gpuinfra catalog regions` lists them")


@pytest.mark.parametrize(
    ("given", "near"),
    [
        (
            ("L4", "--where", "berlin"),
            "near it: aws eu-central-1, gcp europe-west3: --where europe",
        ),
        (("MI300X:8", "--where", "berlin"), "near it: azure germanywestcentral: --where europe"),
        (("TRAINIUM1", "--where", "africa"), "elsewhere: aws us-east-1: --where any compares"),
        (("L4", "--where", "berlin", "--cloud", "aws"), "the nearest is eu-central-1; `gpuinfra"),
    ],
)
def test_the_nearest_regions_that_have_the_machine_are_named_once(
    gpuinfra: Run, given: tuple[str, ...], near: str
) -> None:
    ran = gpuinfra("choose", *given)

    assert ran.code == 2
    assert f"  fix:     {near}" in ran.err
    assert ran.err.count("error: ") == 1


def test_machines_that_fail_for_one_reason_are_one_row(gpuinfra: Run) -> None:
    out = gpuinfra("choose", "L4", "--where", "berlin").out

    assert out.count("is not offered in") == 1
    assert "\ng2-standard-12 and 4 more  gcp " in out


def test_another_region_is_compared_with_that_of_the_winner(gpuinfra: Run) -> None:
    """Not with the region of the cloud that has the cheaper machine elsewhere."""
    out = gpuinfra("choose", "A100:8", "--where", "tokyo").out

    assert "aws ap-northeast-1 " in out.partition("→ ")[2].splitlines()[0]
    assert "\nregion: eastus instead of ap-northeast-1 saves " in out
