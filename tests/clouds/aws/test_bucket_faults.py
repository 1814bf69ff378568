"""What S3 does not take of a bucket's words, through a whole stack file."""

import pytest

from gpuinfra.errors import InputError, Problem
from gpuinfra.planning import from_stack
from gpuinfra.stackfile import loads

KEY = "arn:aws:kms:{}:123456789012:key/11111111-2222-3333-4444-555555555555"
STACK = """\
version: 1
name: stores
owner: me
prices: {{accept_outdated: true}}
where: {{cloud: aws, regions: [us-east-1]}}
buckets: {{data: {{{words}}}}}
"""


def problems(words: str) -> tuple[Problem, ...]:
    try:
        from_stack(loads(STACK.format(words=words)).stack)
    except InputError as error:
        return tuple(error.problems)
    return ()


@pytest.mark.parametrize(
    ("words", "key", "message"),
    [
        (
            "versioned: false, object_lock: {keep: 7d}",
            "versioned",
            "object_lock requires versioning",
        ),
        (
            "versioned: false, replicate_to: us-west-2",
            "versioned",
            "replicate_to requires versioning",
        ),
        ("replicate_to: us-east-1", "replicate_to", "copy would be in the bucket's own region"),
        ("replicate_to: mars-north-1", "replicate_to", "unknown AWS region"),
        (f"encryption: '{KEY.format('us-west-2')}'", "encryption", "in us-west-2"),
    ],
)
def test_what_is_refused_is_said_at_its_key(words: str, key: str, message: str) -> None:
    (problem,) = problems(words)

    assert problem.path == ("buckets", "data", key)
    assert message in problem.message
    assert problem.allowed or problem.fix


@pytest.mark.parametrize(
    "words",
    [
        "encryption: kms, object_lock: {keep: 7d}, replicate_to: us-west-2, access_logs: own",
        f"encryption: '{KEY.format('us-east-1')}', tiering: 1d, versioned: false",
    ],
)
def test_what_goes_together_is_planned(words: str) -> None:
    assert problems(words) == ()


def test_the_copy_and_the_log_are_buckets_of_the_plan() -> None:
    words = "size: 2TB, writes: 5k, replicate_to: us-west-2, access_logs: own, encryption: kms"
    plan = from_stack(loads(STACK.format(words=words)).stack)
    regions = {bucket.name: bucket.region for bucket in plan.buckets}
    items = [(item.item, item.region) for item in plan.items]

    assert regions == {
        "data": "us-east-1",
        "data/replica": "us-west-2",
        "data/logs": "us-east-1",
    }
    assert all(
        bucket.encrypted is True and bucket.public_blocked is True for bucket in plan.buckets
    )
    assert items.count(("kms-key", "us-east-1")) == 1
    assert items.count(("kms-key", "us-west-2")) == 1
    assert ("data-transfer-inter-region", "us-east-1") in items
    stored = [item for item in plan.items if item.item.startswith("s3-standard-storage")]
    assert [item.quantity is None for item in stored] == [False, False, True]
