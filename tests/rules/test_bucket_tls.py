"""Which policies of raw buckets on AWS refuse everybody who comes without TLS."""

import json
from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import stacks
from tests.rules.cases.hygiene import safe_bucket
from tests.rules.cases.judging import group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment, Program

POLICY = "aws:s3/bucketPolicy:BucketPolicy"
ARN = "arn:aws:s3:::tokens"
BOTH = [ARN, f"{ARN}/*"]
PLAIN = {"aws:SecureTransport": "false"}


def deny(**changes: Any) -> dict[str, Any]:
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": BOTH,
        "Condition": {"Bool": PLAIN},
    }
    return {**statement, **changes}


def judged(*statements: Any, moment: Moment = "created", as_text: bool = True) -> list[str]:
    program, bucket = stacks.bare_bucket()
    document = {"Version": "2012-10-17", "Statement": list(statements)}
    policy = json.dumps(document) if as_text else document
    program.add(POLICY, "p", bucket=bucket.id, policy=policy)
    return outcomes(of_resources(program.resources(moment)), "bucket-tls")


@both
@pytest.mark.parametrize(
    ("resource", "outcome"),
    [
        (BOTH, "fine"),
        ("*", "fine"),
        ("arn:aws:s3:::*", "fine"),
        (f"{ARN}*", "fine"),
        ("arn:aws-us-gov:s3:::token?*", "fine"),
        ("arn:*:s3:::tok*", "fine"),
        ([ARN, f"{ARN}/?*"], "fine"),
        (ARN, "violated"),
        (f"{ARN}/*", "violated"),
        (f"{ARN}/?*", "violated"),
        ([ARN, f"{ARN}/public/*"], "violated"),
        ([ARN, f"{ARN}/*.json"], "violated"),
        (["arn:aws:s3:::other", "arn:aws:s3:::other/*"], "violated"),
        ([f"{ARN}-2", f"{ARN}-2/*"], "violated"),
        (["arn:aws:s3:::t.kens", "arn:aws:s3:::t.kens/*"], "violated"),
        (None, "violated"),
    ],
)
def test_it_covers_the_bucket_and_its_objects(resource, outcome, moment):
    assert judged(deny(Resource=resource), moment=moment) == [outcome]


def test_two_statements_may_share_the_work():
    assert judged(deny(Resource=ARN), deny(Resource=f"{ARN}/*")) == ["fine"]
    assert judged(deny(Resource=ARN), deny(Resource=ARN)) == ["violated"]


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ({"Bool": PLAIN}, "fine"),
        ({"Bool": {"aws:SecureTransport": False}}, "fine"),
        ({"Bool": {"aws:SecureTransport": ["false"]}}, "fine"),
        ({"BoolIfExists": {"aws:securetransport": "false"}}, "fine"),
        ({"Bool": {"aws:SecureTransport": "true"}}, "violated"),
        ({"Null": PLAIN}, "violated"),
        ({"Bool": {"aws:MultiFactorAuthPresent": "false"}}, "violated"),
        ({"Bool": {**PLAIN, "aws:ViaAWSService": "false"}}, "violated"),
        ({"Bool": PLAIN, "StringEquals": {"aws:PrincipalTag/x": "1"}}, "violated"),
        ({"Bool": PLAIN, "NumericLessThan": {"s3:TlsVersion": "1.2"}}, "violated"),
        ({"NumericLessThan": {"s3:TlsVersion": "1.2"}}, "violated"),
        ({"NumericLessThanIfExists": {"s3:tlsversion": 1.3}}, "fine"),
        ({"NumericLessThanIfExists": {"s3:TlsVersion": "1.1"}}, "violated"),
        ({"NumericLessThanIfExists": {"s3:TlsVersion": None}}, "violated"),
        ({"NumericLessThan": {"s3:max-keys": "2"}}, "violated"),
        ({"NumericGreaterThan": {"s3:TlsVersion": "1.2"}}, "violated"),
        ({"Bool": "false"}, "violated"),
        ({}, "violated"),
        (None, "violated"),
    ],
)
def test_nothing_else_narrows_it(condition, outcome):
    assert judged(deny(Condition=condition)) == [outcome]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"Effect": "Allow"}, "violated"),
        ({"Action": "s3:GetObject"}, "violated"),
        ({"Action": ["S3:*"]}, "fine"),
        ({"Action": "*"}, "fine"),
        ({"Principal": {"AWS": "*"}}, "fine"),
        ({"Principal": {"AWS": "arn:aws:iam::1:role/x"}}, "violated"),
        ({"Principal": None}, "violated"),
    ],
)
def test_it_denies_everything_to_everybody(changes, outcome):
    assert judged(deny(**changes)) == [outcome]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"Condition": UNKNOWN}, "not-knowable"),
        ({"Condition": {"Bool": {"aws:SecureTransport": UNKNOWN}}}, "not-knowable"),
        ({"Condition": {"NumericLessThanIfExists": {"s3:TlsVersion": UNKNOWN}}}, "not-knowable"),
        ({"Action": UNKNOWN}, "not-knowable"),
        ({"Resource": UNKNOWN}, "not-knowable"),
        ({"Resource": UNKNOWN, "Effect": "Allow"}, "violated"),
    ],
)
def test_what_is_hidden_is_not_known(changes, outcome):
    assert judged(deny(**changes), as_text=False) == [outcome]


def test_a_denial_of_old_versions_stands_beside_one_of_none():
    old = deny(Condition={"NumericLessThan": {"s3:TlsVersion": "1.2"}})
    assert judged(old, deny()) == ["fine"]
    assert judged(old) == ["violated"]


def written_from(goal: str, count: int) -> list[str]:
    """A policy whose patterns wait for a bucket, the judged one or another."""
    program = Program()
    add = program.add
    buckets = {name: add("aws:s3/bucket:Bucket", name, bucket=name) for name in ("tokens", "logs")}
    arns = [buckets[goal].arn] * count
    document = {"Statement": [deny(Resource=arns)]}
    add(POLICY, "p", bucket=buckets["tokens"].id, policy=document)
    return outcomes(of_resources(program.resources("preview")), "bucket-tls")


def test_patterns_that_wait_for_the_bucket_are_its_own():
    assert written_from("tokens", 2) == ["fine", "violated"]
    assert written_from("tokens", 1) == ["not-knowable", "violated"]
    assert written_from("logs", 2) == ["not-knowable", "violated"]


def test_a_bucket_without_a_name_is_compared_once_it_has_one():
    program = Program()
    bucket = program.add("aws:s3/bucket:Bucket", "tokens")
    program.add(POLICY, "p", bucket=bucket.id, policy=stacks.deny_plain("tokens-1a2b3c"))
    for moment, outcome in (("preview", "not-knowable"), ("created", "fine")):
        assert outcomes(of_resources(program.resources(moment)), "bucket-tls") == [outcome]


@both
@pytest.mark.parametrize(
    ("statement", "outcome"), [(deny(), "fine"), (deny(Effect="Allow"), "not-knowable")]
)
def test_of_two_policies_of_a_bucket_one_is_lost(statement, outcome, moment):
    program, bucket = stacks.bare_bucket()
    for name, each in (("first", deny()), ("second", statement)):
        document = {"Version": "2012-10-17", "Statement": [each]}
        program.add(POLICY, name, bucket=bucket.id, policy=json.dumps(document))

    assert outcomes(of_resources(program.resources(moment)), "bucket-tls") == [outcome]


@pytest.mark.parametrize(("second", "outcome"), [(True, "fine"), (False, "not-knowable")])
def test_of_two_access_blocks_of_a_bucket_one_is_lost(second, outcome):
    program, bucket = stacks.bare_bucket()
    keys = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
    for name, blocks in (("first", True), ("second", second)):
        token = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
        program.add(token, name, bucket=bucket.id, **dict.fromkeys(keys, blocks))

    assert outcomes(of_resources(program.resources()), "bucket-private") == [outcome]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, "fine"),
        ({"tls_only": False}, "violated"),
        ({"tls_only": UNKNOWN}, "not-knowable"),
        ({"tls_only": None}, "not-applicable"),
    ],
    ids=str,
)
def test_a_bucket_requires_tls(changes, outcome):
    assert outcomes(plan(buckets=(safe_bucket(**changes),)), "bucket-tls") == [outcome]


def test_without_a_bucket_bucket_tls_does_not_apply():
    assert outcomes(plan(group()), "bucket-tls") == ["not-applicable"]
