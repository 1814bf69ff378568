"""Buckets of AWS: which of their companions make them safe, and what expires."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN, Bucket, Reachability, Usage
from tests.rules.cases import stacks
from tests.rules.cases.moments import both


@both
def test_a_bucket_with_its_companions(moment):
    program, bucket, _ = stacks.good_bucket()
    usage = Usage(gigabytes={"tokens": Decimal(2000)})
    seen = observe(program.resources(moment), usage)
    assert seen.buckets == (
        Bucket(
            name="tokens",
            subject=bucket.urn,
            cloud="aws",
            region="us-east-1",
            size_gb=Decimal(2000),
            encrypted=True,
            public_blocked=True,
            tls_only=True,
            owner_enforced=True,
            versioned=True,
            expires_noncurrent=True,
            aborts_uploads=True,
            expires=True,
            labels=frozenset(),
            force_destroy=False,
            safeguards=Reachability(),
        ),
    )
    assert {item.item for item in seen.items if item.quantity is None} == {
        "kms-requests",
        "s3-standard-put",
        "s3-standard-get",
    }


@pytest.mark.parametrize(
    ("part", "change", "fact", "value"),
    [
        ("block", {"restrictPublicBuckets": False}, "public_blocked", False),
        ("block", {"restrictPublicBuckets": UNKNOWN}, "public_blocked", UNKNOWN),
        ("encryption", {"rules": []}, "encrypted", False),
        ("versioning", {"versioningConfiguration": {"status": "Suspended"}}, "versioned", False),
        ("lifecycle", {"rules": []}, "expires_noncurrent", False),
        ("lifecycle", {"rules": UNKNOWN}, "aborts_uploads", UNKNOWN),
        ("policy", {"policy": UNKNOWN}, "tls_only", UNKNOWN),
        ("policy", {"policy": "{}"}, "tls_only", False),
        ("owner", {"rule": {"objectOwnership": "ObjectWriter"}}, "owner_enforced", False),
        ("block", {"bucket": "another-bucket"}, "public_blocked", False),
        ("block", {"bucket": UNKNOWN}, "public_blocked", UNKNOWN),
    ],
    ids=[
        *(
            "three blocks",
            "unknown block",
            "no rule",
            "suspended",
            "no lifecycle",
            "unknown rules",
        ),
        *("unknown policy", "empty policy", "writer", "another bucket", "unknown bucket"),
    ],
)
def test_each_companion_of_a_bucket_counts(part, change, fact, value):
    program, _, parts = stacks.good_bucket()
    program.change(parts[part], **change)
    assert getattr(observe(program.resources()).buckets[0], fact) is value


def test_a_lifecycle_rule_for_one_prefix_leaves_the_rest_for_ever():
    program, _, parts = stacks.good_bucket()
    (rule,) = parts["lifecycle"].inputs["rules"]
    program.change(parts["lifecycle"], rules=[{**rule, "filter": {"prefix": "tmp/"}}])
    (bucket,) = observe(program.resources()).buckets
    assert (bucket.expires_noncurrent, bucket.aborts_uploads) == (False, False)


def test_a_bare_bucket_has_what_s3_does_by_default():
    program, _ = stacks.bare_bucket()
    (bucket,) = observe(program.resources()).buckets
    declared = (bucket.encrypted, bucket.public_blocked, bucket.tls_only, bucket.versioned)
    assert declared == (True, False, False, False)
    assert bucket.size_gb is None


def test_a_bucket_may_declare_everything_inline_as_older_programs_do():
    program, bucket = stacks.bare_bucket()
    rule = {
        "enabled": True,
        "noncurrentVersionExpiration": {"days": 30},
        "abortIncompleteMultipartUploadDays": 7,
    }
    default = {"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}
    program.change(
        bucket,
        versioning={"enabled": True},
        serverSideEncryptionConfiguration={"rule": default},
        lifecycleRules=[rule],
        policy=stacks.deny_plain("tokens"),
    )
    (seen,) = observe(program.resources()).buckets
    assert (seen.versioned, seen.encrypted, seen.tls_only) == (True, True, True)
    assert (seen.expires_noncurrent, seen.aborts_uploads) == (True, True)
    program.change(bucket, lifecycleRules=[{**rule, "enabled": False}, {"enabled": True}])
    (seen,) = observe(program.resources()).buckets
    assert (seen.expires_noncurrent, seen.aborts_uploads) == (False, False)
