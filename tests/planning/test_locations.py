"""`cloud: any`: regions, zones and steps, checked against all clouds."""

import pytest

from tests.planning.anywhere import any_of, group, path, refusal, refused, stack


def test_a_region_of_no_cloud_is_told_with_the_nearest_of_all() -> None:
    problem = refusal(
        stack(where=any_of("us-east-1", "us-centrl1"), training={"t": {"gpu": "L4:1"}})
    )

    assert path(problem) == "where.regions.1"
    assert (problem.message, problem.suggestion) == ("no cloud has this region", "us-central1")


def test_a_continent_is_told_apart_from_a_region() -> None:
    problem = refusal(stack(where=any_of("us-east-1", "europe"), training={"t": {"gpu": "L4:1"}}))

    assert problem.message == "a continent is not accepted as a region"
    assert "`gpuinfra catalog regions` lists them" in problem.fix
    assert not problem.suggestion


def test_a_region_of_another_cloud_is_told_as_such() -> None:
    made = stack(
        where={"cloud": "azure", "regions": ["us-east-1"]}, training={"t": {"gpu": "T4:1"}}
    )
    problem = refusal(made)

    assert problem.fix == (
        "it is a region of AWS; regions of Azure in north-america: canadaeast, eastus, eastus2, "
        "westus; `gpuinfra catalog regions --cloud azure` lists them"
    )
    assert problem.suggestion == ""


def test_where_no_region_is_known_words_are_judged_by_all_clouds() -> None:
    problems = refused(
        stack(
            where=any_of("mars"),
            training={
                "wrong": {"gpu": "H10O:8"},
                "fine": {"gpu": "A100-PCIe-80GB:1"},
                "type": {"instance": "Standard_ND96isr_H100_v6"},
            },
        )
    )

    assert [problem.value for problem in problems] == [
        "mars",
        "H10O:8",
        "Standard_ND96isr_H100_v6",
    ]
    assert problems[2].suggestion == "Standard_ND96isr_H100_v5"


def test_each_cloud_takes_its_own_regions_and_zones() -> None:
    where = {
        "cloud": "any",
        "regions": ["us-east-1", "us-central1", "us-west-2"],
        "zones": ["us-west-2c", "us-central1-c", "us-east-1b"],
    }
    here = group(gpu="L4:1", where=where)
    there = group(gpu="H100:8", where=where)

    assert {(rung.region, rung.zones) for rung in here.rungs} == {
        ("us-central1", ("us-central1-c",))
    }
    assert [(rung.region, rung.zones) for rung in there.rungs] == [
        ("us-east-1", ("us-east-1b",)),
        ("us-west-2", ("us-west-2c",)),
    ]


@pytest.mark.parametrize(
    ("zones", "place", "message"),
    [
        (["us-east-1b", "us-central1-x"], "where.zones.1", "unknown zone"),
        (["us-east-1b"], "where.zones", "no zone of us-central1 is listed"),
        (["us-east-1b", "us-central1-a", "eastus-1"], "where.zones.2", "unknown zone"),
    ],
)
def test_zones_are_checked_against_all_clouds(zones: list[str], place: str, message: str) -> None:
    where = {**any_of("us-east-1", "us-central1"), "zones": zones}
    problem = refusal(stack(where=where, training={"t": {"gpu": "L4:1"}}))

    assert (path(problem), problem.message) == (place, message)


def test_a_region_whose_cloud_has_no_zones_needs_none() -> None:
    where = {**any_of("us-east-1", "westus"), "zones": ["us-east-1b"]}

    assert group(gpu="T4:1", where=where).rung.zones == ("us-east-1b",)


def test_a_step_s_own_region_demands_its_cloud() -> None:
    capacity = ["on-demand", {"on-demand": {"region": "us-west1"}}]
    chosen = group(gpu="H100:8", capacity=capacity)

    assert chosen.cloud == "gcp"
    assert [rung.label for rung in chosen.rungs] == ["on-demand@us-central1", "on-demand@us-west1"]


@pytest.mark.parametrize(
    ("steps", "place", "message", "hint"),
    [
        (["us-wst-2"], 1, "no cloud has this region", "us-west-2"),
        (["us-west-2", "us-west1"], 2, "unknown region of aws", "it is a region of Google Cloud"),
        (["us-west-2", "us-wst-1"], 2, "unknown region of aws", "us-west-1"),
        (
            ["westus"],
            1,
            "a region of azure, and `where` lists no region of that cloud",
            "add a region",
        ),
    ],
)
def test_a_step_s_region_that_no_cloud_of_its_ladder_has_is_told(
    steps: list[str], place: int, message: str, hint: str
) -> None:
    capacity = ["on-demand", *({"on-demand": {"region": region}} for region in steps)]
    problem = refusal(
        stack(
            where=any_of("us-east-1", "us-central1"),
            training={"trainer": {"gpu": "H100:8", "capacity": capacity}},
        )
    )

    assert path(problem) == f"training.trainer.capacity.{place}.region"
    assert problem.message == message
    assert hint in problem.suggestion + problem.fix
