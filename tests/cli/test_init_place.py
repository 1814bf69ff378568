"""`init` in a place that has several regions writes the cheapest one and says what it compared."""

import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from gpuinfra import api
from gpuinfra.catalog.continents import continents, regions_of
from gpuinfra.cli import cheapest, cli, drafts
from gpuinfra.cli.commands import init
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.clouds.region_hints import regions_in
from gpuinfra.errors import RefusedError
from tests.cli.conftest import Run

WHERE = re.compile(r"^where: \{regions: \[(\S+)\]\}$", re.MULTILINE)


def written(folder: Path) -> str:
    found = WHERE.search((folder / "stack.yaml").read_text("utf-8"))
    assert found
    return found[1]


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
    price = api.choose(gpu, clouds=CLOUDS, regions=[written(folder)]).winner.per_hour

    assert price == best.per_hour
    assert re.search(
        rf"cheapest of \d\d priced regions.*: {best.machine.cloud} {written(folder)}, \$", done.err
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
    assert re.search(rf": {cloud} {written(tmp_path / 'mine')}, \$", compared)
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
    assert written(tmp_path / "mine") == best.region != on_demand.region
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
    assert written(tmp_path / "mine") in regions_in(where, known)
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

    assert written(tmp_path / "mine") == "eu-west-2"
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

    assert written(tmp_path / "mine").startswith(expected)


def test_caps_are_said_to_be_written_by_init(gpuinfra: Run, tmp_path: Path) -> None:
    done = gpuinfra("init", tmp_path / "mine", "--where", "us-east-1")

    told = " ".join(done.err.split())
    assert "caps written for you, 20 to 30% above the maximum cost; lower them to what " in told
    assert "(cap " not in done.err


def test_what_was_confirmed_is_not_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(init, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    done = CliRunner().invoke(
        cli, ["init", str(tmp_path / "mine")], input="1\nA100:8\nus-east-1\ny\n"
    )

    assert done.output.count("costs at most") == 1
    assert (tmp_path / "mine/stack.yaml").exists()


def test_an_interrupted_question_ends_its_line(
    gpuinfra: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(init, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setattr(click.termui, "visible_prompt_func", interrupted)
    done = gpuinfra("init", tmp_path / "mine")

    assert done.code == 130
    assert done.err == "\ninterrupted\n"


@pytest.mark.parametrize("model", ["70B", "llama-3.1-70b"])
def test_a_model_is_no_gpu(gpuinfra: Run, tmp_path: Path, model: str) -> None:
    refused = gpuinfra("init", tmp_path / "mine", "--gpu", model)

    assert refused.code == 2
    assert "this is a model, not a GPU" in refused.err
    assert f"as ranked by: gpuinfra choose --for-model {model}" in refused.err
    assert not (tmp_path / "mine").exists()


def test_the_only_region_of_a_place_is_named(gpuinfra: Run, tmp_path: Path) -> None:
    place = ("--gpu", "H100:8", "--where", "frankfurt")
    done = gpuinfra("init", tmp_path / "mine", "--what", "fine-tune", *place)

    assert done.err.startswith("the only priced region in frankfurt: gcp europe-west3, $")


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

    each = r": \$[\d.]+/h each, and what is around them\n"
    most = r"costs at most \$[\d.]+/h, \$[\d.,]+/month; \$[\d.]+/h, \$[\d.,]+/month"
    assert re.search(rf"^chat counts at {size}{each}{most} with 2 machines$", told, re.MULTILINE)


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
    assert written(tmp_path / "mine") == "us-east-2"
