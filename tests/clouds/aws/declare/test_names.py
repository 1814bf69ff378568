import re

from hypothesis import assume, given
from hypothesis import strategies as st

from gpuinfra.clouds.aws.declare.names import BALANCER, bucket_name
from gpuinfra.clouds.declaring import names

WORKLOADS = st.from_regex(r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True)
STACKS = st.from_regex(r"[A-Za-z][A-Za-z0-9._-]{0,60}", fullmatch=True)
BUCKET = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"


@given(STACKS, WORKLOADS, st.lists(st.text(max_size=20), max_size=3))
def test_a_bucket_name_is_what_s3_takes(stack: str, name: str, identity: list[str]) -> None:
    made = bucket_name(stack, name, identity)

    assert 3 <= len(made) <= 63
    assert re.fullmatch(BUCKET, made)
    assert not made.startswith(("xn--", "sthree-", "amzn-s3-demo-"))
    assert made == bucket_name(stack, name, identity)


@given(st.lists(st.tuples(STACKS, WORKLOADS, WORKLOADS), min_size=2, max_size=5, unique=True))
def test_no_two_buckets_share_a_name(owners: list[tuple[str, str, str]]) -> None:
    made = {bucket_name(stack, name, [place]) for stack, name, place in owners}

    assert len(made) == len(owners)


@given(WORKLOADS, WORKLOADS)
def test_short_names_are_valid_and_apart(first: str, other: str) -> None:
    assume(first != other)
    cut = [names.logical(name, "target_group", BALANCER) for name in (first, other)]

    assert cut[0] != cut[1]
    for name in cut:
        assert len(name) + names.SUFFIX <= BALANCER
        assert re.fullmatch(r"[a-z][a-z0-9-]*[a-z0-9]", name)
        assert name.endswith("-target-group")


def test_names_as_they_look() -> None:
    assert names.logical("trainer", "launch_template") == "trainer-launch-template"
    assert names.group_resource("trainer") == "trainer-group"
    assert names.bucket_resource("data") == "data-bucket"
    assert bucket_name("sthree", "data", []).startswith("b-sthree-data-")
