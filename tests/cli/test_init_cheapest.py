"""`init` in a place that has several regions writes the cheapest one and says what it compared."""

import re
from pathlib import Path

import pytest

from gpuinfra import api
from gpuinfra.catalog.continents import continents, regions_of
from gpuinfra.cli import cheapest, drafts
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.region_hints import regions_in
from gpuinfra.errors import RefusedError
from tests.cli.conftest import Run, written_region


@pytest.mark.parametrize(
    ("where", "gpu"),
    [
        ("europe", "H100:8"),
        ("eu", "A100:8"),
        ("north-america", "L4:1"),
        ("asia", "H100:8"),
        ("any", "T4:1"),
    ],
)
def test_the_cheapest_region_of_a_continent_is_written_and_passes(
    gpuinfra: Run, tmp_path: Path, where: str, gpu: str
) -> None:
    folder = tmp_path / "mine"
    done = gpuinfra("init", folder, "--what", "fine-tune", "--gpu", gpu, "--where", where)
    regions = regions_of({"eu": "europe"}.get(where, where), CLOUDS)
    best = api.choose(gpu, clouds=CLOUDS, regions=regions).winner
    price = api.choose(gpu, clouds=CLOUDS, regions=[written_region(folder)]).winner.per_hour

    assert price == best.per_hour
    assert re.search(
        rf"cheapest of \d\d priced regions.*: {best.machine.cloud} {written_region(folder)}, \$",
        done.err,
    )
    assert gpuinfra("check", folder).code == 0


@pytest.mark.parametrize(
    ("machines", "cloud"), [((), "gcp"), (("--nodes", "1"), "gcp"), (("--nodes", "4"), "aws")]
)
def test_several_machines_are_where_the_default_image_can_use_their_fabric(
    gpuinfra: Run, tmp_path: Path, machines: tuple[str, ...], cloud: str
) -> None:
    spot = ("--what", "fine-tune", "--gpu", "H100:8", "--where", "any", "--capacity", "spot")
    done = gpuinfra("init", tmp_path / "mine", *spot, *machines)

    compared = done.err.splitlines()[0]
    assert re.search(rf": {cloud} {written_region(tmp_path / 'mine')}, \$", compared)
    assert ("; gcp europe-north1, $10.21/h, requires a machine_image" in compared) is (
        cloud == "aws"
    )
    assert "fabric-driver" not in done.err


def test_a_fabric_that_the_default_image_can_not_use_needs_a_key_of_the_file(
    gpuinfra: Run, tmp_path: Path
) -> None:
    place = ("--what", "fine-tune", "--gpu", "H100:8", "--where", "europe", "--cloud", "gcp")
    done = gpuinfra("init", tmp_path / "mine", *place, "--nodes", "4")

    assert re.match(
        r"cheapest of \d+ priced regions in europe: gcp \S+, \$\S+/h$", done.err, re.MULTILINE
    )
    [warning] = [line for line in done.err.splitlines() if "fabric-driver" in line]
    assert "machine_image in a stack file" in warning
    assert "start-up script" not in warning


def test_the_next_clouds_are_named_beside_the_cheapest(gpuinfra: Run, tmp_path: Path) -> None:
    place = ("--gpu", "H100:8", "--where", "europe")
    done = gpuinfra("init", tmp_path / "mine", "--what", "fine-tune", *place)

    compared = done.err.splitlines()[0]
    assert re.fullmatch(
        r"cheapest of \d+ priced regions in europe: aws eu-north-1, \$58.89/h; "
        r"gcp \S+, \$97.37/h; azure \S+, \$122.90/h",
        compared,
    )


@pytest.mark.parametrize(
    ("place", "regions"), [(("--where", "us"), ("us",)), ((), ("any",)), (("--where", "aws"), ())]
)
def test_spot_machines_are_compared_by_their_spot_price(
    gpuinfra: Run, tmp_path: Path, place: tuple[str, ...], regions: tuple[str, ...]
) -> None:
    asked = ("--what", "fine-tune", "--gpu", "H100:8", "--capacity", "spot", *place)
    done = gpuinfra("init", tmp_path / "mine", *asked)
    best = api.choose("H100:8", clouds=["aws"], regions=regions, capacity="spot").winner
    on_demand = api.choose("H100:8", clouds=["aws"], regions=regions).winner

    assert best.per_hour is not None
    assert on_demand.per_hour is not None
    assert best.per_hour < on_demand.per_hour
    assert written_region(tmp_path / "mine") == best.region != on_demand.region
    assert f"on spot: aws {best.region}, ${best.per_hour:.2f}/h" in done.err
    assert re.search(r"^costs at most \$5\d.*\nexpected: \$1\d\.\d\d/h, ", done.err, re.MULTILINE)
    assert "no cheaper than on demand" not in gpuinfra("check", tmp_path / "mine").out


def test_without_a_spot_price_the_prices_on_demand_are_compared(
    gpuinfra: Run, tmp_path: Path
) -> None:
    asked = ("--what", "fine-tune", "--gpu", "H100:8", "--capacity", "spot")
    done = gpuinfra("init", tmp_path / "mine", *asked, "--where", "us", "--cloud", "azure")

    assert "in us on demand, as no spot price there is known: azure eastus, $98.32/h" in done.err
    assert "\nexpected: at most $98.44/h" in done.err


@pytest.mark.parametrize("where", ["Frankfurt", "us", "germany"])
def test_regions_of_a_city_or_a_country_are_compared_too(
    gpuinfra: Run, tmp_path: Path, where: str
) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--what", "development", "--where", where)
    known = [region for cloud in CLOUDS for region in provider_of(cloud).regions.all()]

    assert done.code == 0
    assert written_region(tmp_path / "mine") in regions_in(where, known)
    assert f"priced regions in {where}: " in done.err


def test_a_region_in_which_the_check_fails_is_passed_over(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = drafts.check_draft

    def refusing(folder: Path, text: str) -> drafts.DraftCheck:
        if "eu-north-1" in text:
            raise RefusedError("no")
        return judged(folder, text)

    monkeypatch.setattr(drafts, "check_draft", refusing)
    place = ("--gpu", "H100:8", "--where", "europe")
    done = gpuinfra("init", tmp_path / "mine", "--what", "fine-tune", *place)

    assert written_region(tmp_path / "mine") == "eu-west-2"
    compared = (
        "priced regions in europe after 1 region that did not pass a check: aws eu-west-2, $"
    )
    assert compared in done.err
    assert "eu-north-1" not in done.err


def test_partitions_that_need_another_account_are_no_candidates() -> None:
    regions = cheapest.place_regions("any")

    assert "us-east-1" in regions
    assert not [region for region in regions if region.startswith(("cn-", "us-gov-"))]


def test_every_continent_of_choose_has_regions() -> None:
    known = [region for cloud in CLOUDS for region in provider_of(cloud).regions.all()]

    assert all(regions_in(continent, known) for continent in continents())
    assert all(cheapest.place_regions(continent) for continent in continents())


def test_the_only_region_of_a_place_is_named(gpuinfra: Run, tmp_path: Path) -> None:
    place = ("--gpu", "H100:8", "--where", "frankfurt")
    done = gpuinfra("init", tmp_path / "mine", "--what", "fine-tune", *place)

    assert done.err.startswith("the only priced region in frankfurt: gcp europe-west3, $")
