"""`cloud: any`: workloads that share a bucket stand on one cloud."""

from typing import Any

from gpuinfra.planning import from_stack
from gpuinfra.specs.schema import Stack
from tests.planning.anywhere import REGIONS, any_of, path, refusal, stack


def shared(**more: Any) -> Stack:
    """Machines that are cheaper on AWS, and others that are cheaper on Google Cloud."""
    mount = {"data": [{"bucket": "data"}]}
    return stack(
        training={"trainer": {"gpu": "H100:8", **mount}, "small": {"gpu": "L4:1", **mount}},
        buckets={"data": {"size": "1TB", **more}},
    )


def test_workloads_that_share_a_bucket_stand_together_at_the_least_sum() -> None:
    plan = from_stack(shared())

    assert [group.cloud for group in plan.groups] == ["aws", "aws"]
    assert [(bucket.cloud, bucket.region) for bucket in plan.buckets] == [("aws", "us-east-1")]
    assert "an hour, together with trainer; not gcp" in plan.groups[1].cloud_reasons.chosen
    assert {item.cloud for item in plan.items} == {"aws"}


def test_workloads_are_tied_through_others_too() -> None:
    plan = from_stack(
        stack(
            training={
                "a": {"gpu": "L4:1", "data": [{"bucket": "one"}]},
                "b": {"gpu": "T4:2", "data": [{"bucket": "one"}, {"bucket": "two"}]},
                "c": {"gpu": "T4:1", "data": [{"bucket": "two"}]},
                "free": {"gpu": "T4:1"},
            },
            buckets={"one": {}, "two": {}},
        )
    )

    assert {group.name: group.cloud for group in plan.groups} == {
        "a": "gcp", "b": "gcp", "c": "gcp", "free": "aws",
    }  # fmt: skip
    assert {bucket.cloud for bucket in plan.buckets} == {"gcp"}


def test_groups_keep_the_order_of_the_file() -> None:
    mount = {"data": [{"bucket": "data"}]}
    plan = from_stack(
        stack(
            training={
                "z": {"gpu": "L4:1", **mount},
                "m": {"gpu": "H100:8"},
                "a": {"gpu": "L4:1", **mount},
            },
            buckets={"data": {}},
        )
    )

    assert [group.name for group in plan.groups] == ["z", "m", "a"]


def test_a_bucket_s_own_region_demands_its_cloud() -> None:
    plan = from_stack(shared(region="us-central1"))

    assert {group.cloud for group in plan.groups} == {"gcp"}
    assert (plan.buckets[0].cloud, plan.buckets[0].region) == ("gcp", "us-central1")
    assert (
        "together with small, the region of bucket data; not aws"
        in plan.groups[0].cloud_reasons.chosen
    )


def test_a_bucket_s_region_of_a_workload_s_own_cloud_is_that_cloud_s() -> None:
    where = {"cloud": "gcp", "regions": ["us-central1"]}
    work = {"gpu": "L4:1", "where": where, "data": [{"bucket": "data"}]}
    plan = from_stack(
        stack(
            where={"cloud": "aws", "regions": ["us-east-1"]},
            training={"trainer": work},
            buckets={"data": {"region": "us-west1"}},
        )
    )

    assert (plan.groups[0].cloud, plan.buckets[0].cloud) == ("gcp", "gcp")
    assert plan.buckets[0].region == "us-west1"


def test_a_bucket_that_nobody_mounts_stands_where_its_region_says() -> None:
    plan = from_stack(stack(buckets={"old": {"region": "eastus"}, "new": {}}))

    assert [(bucket.cloud, bucket.region) for bucket in plan.buckets] == [
        ("azure", "eastus"),
        ("aws", "us-east-1"),
    ]


def test_two_named_clouds_can_t_share_a_bucket() -> None:
    mount = {"gpu": "L4:1", "data": [{"bucket": "data"}]}
    problem = refusal(
        stack(
            training={
                name: {**mount, "where": {"cloud": name, "regions": [REGIONS[name]]}}
                for name in ("aws", "gcp")
            },
            buckets={"data": {}},
        )
    )

    assert path(problem) == "buckets.data"
    assert (
        problem.message
        == "no single cloud can run every workload that shares data: aws on aws; gcp on gcp"
    )
    assert "use one bucket per cloud, or run all" in problem.fix


def test_a_bucket_on_a_cloud_that_can_t_hold_its_workload_is_told_at_its_region() -> None:
    problem = refusal(
        stack(
            where=any_of("us-east-1", "us-central1"),
            training={"trainer": {"gpu": "L4:1", "data": [{"bucket": "data"}]}},
            buckets={"data": {"region": "eastus"}},
        )
    )

    assert path(problem) == "buckets.data.region"
    assert problem.message.endswith(": trainer on aws or gcp; bucket data on azure")
    assert problem.fix == "remove the region of data, or run all of these on azure"


def test_two_buckets_of_one_workload_in_regions_of_two_clouds_are_told() -> None:
    problem = refusal(
        stack(
            training={
                "trainer": {"gpu": "L4:1", "data": [{"bucket": "one"}, {"bucket": "two"}]},
            },
            buckets={"one": {"region": "us-central1"}, "two": {"region": "us-east-1"}},
        )
    )

    assert (path(problem), problem.message) == ("buckets.two.region", "unknown region of gcp")
    assert problem.fix.startswith(
        "it is a region of AWS; regions of Google Cloud in north-america: "
    )
