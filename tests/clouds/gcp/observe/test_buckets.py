"""Buckets of Google Cloud: what they leave open, and whom they let in."""

from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, Bucket, Reachability, Usage
from tests.rules.cases import gcp_stacks as stacks
from tests.rules.cases.moments import both


def bucket(**inputs: Any) -> Bucket:
    program, handle = stacks.good_bucket()
    program.change(handle, **inputs)
    (only,) = observe(program.resources()).buckets
    return only


@both
def test_a_good_bucket_is_good_in_every_way(moment):
    program, handle = stacks.good_bucket()
    usage = Usage(gigabytes={"tokens": Decimal(2000)})
    (bucket,) = observe(program.resources(moment), usage).buckets
    assert bucket == Bucket(
        name="tokens",
        subject=handle.urn,
        cloud="gcp",
        region="us-central1",
        size_gb=Decimal(2000),
        encrypted=True,
        public_blocked=True,
        tls_only=None,
        owner_enforced=True,
        versioned=True,
        recoverable=True,
        expires_noncurrent=True,
        aborts_uploads=True,
        expires=True,
        labels=frozenset(),
        force_destroy=False,
        safeguards=Reachability(),
    )


DELETE = {"type": "Delete"}


@pytest.mark.parametrize(
    ("inputs", "fact", "expected"),
    [
        ({"publicAccessPrevention": "inherited"}, "public_blocked", False),
        ({"publicAccessPrevention": None}, "public_blocked", False),
        ({"publicAccessPrevention": UNKNOWN}, "public_blocked", UNKNOWN),
        ({"uniformBucketLevelAccess": None}, "owner_enforced", False),
        ({"uniformBucketLevelAccess": UNKNOWN}, "owner_enforced", UNKNOWN),
        ({"versioning": None}, "versioned", False),
        ({"versioning": UNKNOWN}, "versioned", UNKNOWN),
        ({"lifecycleRules": None}, "expires_noncurrent", False),
        ({"lifecycleRules": UNKNOWN}, "expires_noncurrent", UNKNOWN),
        ({"lifecycleRules": UNKNOWN}, "aborts_uploads", UNKNOWN),
        ({"lifecycleRules": [UNKNOWN]}, "aborts_uploads", UNKNOWN),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": {"numNewerVersions": 3}}]},
            "expires_noncurrent",
            True,
        ),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": {"age": 3}}]},
            "expires_noncurrent",
            True,
        ),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": {"age": 3, "withState": "LIVE"}}]},
            "expires_noncurrent",
            False,
        ),
        (
            {
                "lifecycleRules": [
                    {"action": DELETE, "condition": {"age": 3, "matchesPrefixes": ["tmp/"]}}
                ]
            },
            "expires_noncurrent",
            False,
        ),
        (
            {"lifecycleRules": [{"action": {"type": "SetStorageClass"}, "condition": {"age": 3}}]},
            "expires_noncurrent",
            False,
        ),
        (
            {"lifecycleRules": [{"action": DELETE, "condition": UNKNOWN}]},
            "expires_noncurrent",
            UNKNOWN,
        ),
    ],
)
def test_what_a_bucket_leaves_open_is_seen(inputs, fact, expected):
    assert getattr(bucket(**inputs), fact) is expected


@both
@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        ("storage/bucketIAMMember:BucketIAMMember", {"member": "allUsers"}, False),
        ("storage/bucketIAMMember:BucketIAMMember", {"member": "user:a@example.com"}, True),
        ("storage/bucketIAMMember:BucketIAMMember", {"member": UNKNOWN}, True),
        (
            "storage/bucketIAMBinding:BucketIAMBinding",
            {"members": ["user:a@example.com", "allAuthenticatedUsers"]},
            False,
        ),
        (
            "storage/bucketIAMPolicy:BucketIAMPolicy",
            {"policyData": '{"bindings": [{"role": "r", "members": ["allUsers"]}]}'},
            False,
        ),
        ("storage/bucketIAMPolicy:BucketIAMPolicy", {"policyData": UNKNOWN}, True),
        ("storage/bucketIAMPolicy:BucketIAMPolicy", {"policyData": "no json"}, True),
        ("storage/bucketAccessControl:BucketAccessControl", {"entity": "allUsers"}, False),
        ("storage/bucketACL:BucketACL", {"predefinedAcl": "publicRead"}, False),
        ("storage/bucketACL:BucketACL", {"roleEntities": ["READER:allUsers"]}, False),
        ("storage/bucketACL:BucketACL", {"roleEntities": ["OWNER:user-a"]}, True),
    ],
)
def test_whoever_lets_anyone_in_opens_a_bucket(moment, token, inputs, expected):
    program, handle = stacks.good_bucket()
    program.add(token, "more", bucket=handle.out("name"), **inputs)
    (bucket,) = observe(program.resources(moment)).buckets
    assert bucket.public_blocked is expected


@both
def test_a_bucket_is_open_to_an_unknown_member_unless_its_prevention_is_enforced(moment):
    program, handle = stacks.good_bucket()
    program.change(handle, publicAccessPrevention=UNKNOWN)
    token = "storage/bucketIAMMember:BucketIAMMember"
    program.add(token, "more", bucket=handle.out("name"), member=UNKNOWN)
    (bucket,) = observe(program.resources(moment)).buckets
    assert bucket.public_blocked is UNKNOWN


def test_a_grant_on_a_bucket_that_nobody_knows_yet_opens_another_than_an_enforced_one():
    program, _ = stacks.good_bucket()
    program.add("storage/bucketIAMMember:BucketIAMMember", "x", bucket=UNKNOWN, member="allUsers")
    rows = observe(program.resources())
    assert rows.buckets[0].public_blocked is True
    assert [fault for row in rows.grants for fault in row.faults]


@both
def test_an_account_that_is_still_to_be_made_is_not_everybody(moment):
    program, handle = stacks.good_bucket()
    account = program.add("serviceaccount/account:Account", "reader", accountId="reader")
    program.add(
        "storage/bucketIAMBinding:BucketIAMBinding",
        "readers",
        bucket=handle.out("name"),
        members=[account.out("member"), "user:a@example.com"],
    )
    (bucket,) = observe(program.resources(moment)).buckets
    assert bucket.public_blocked is True
