"""Whom policies of resources on AWS let in: by tokens of everybody's issuer, by any connection."""

import json
import re

import pytest

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.observers import OBSERVERS, RIGHTS
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_inputs
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

GITHUB = "token.actions.githubusercontent.com"


def judged(token, **inputs):
    program = Program()
    program.add(token, "it", **inputs)
    return verdicts(of_resources(program.resources()), "wildcard-policy")


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ({"StringEquals": {"oidc.eks.us-east-1.amazonaws.com/id/A:sub": "a"}}, "fine"),
        ({"Bool": {"aws:SecureTransport": "true"}}, "not-knowable"),
        ({}, "not-knowable"),
    ],
)
def test_somebody_who_is_not_known_yet_is_nobody_in_general_under_a_condition(condition, outcome):
    statement = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": UNKNOWN},
        "Condition": condition,
    }
    ((shown, _),) = judged("aws:iam/role:Role", assumeRolePolicy={"Statement": [statement]})
    assert shown == outcome


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        (None, "violated"),
        ({"StringEquals": {f"{GITHUB}:aud": "sts.amazonaws.com"}}, "violated"),
        ({"StringLike": {f"{GITHUB}:sub": "repo:*"}}, "violated"),
        ({"StringLike": {f"{GITHUB}:sub": ["repo:me/it:*", "*"]}}, "violated"),
        ({"StringLike": {f"{GITHUB}:sub": "repo:*/repo:*"}}, "violated"),
        ({"StringLike": {f"{GITHUB}:sub": "repo:*/it:ref:refs/heads/main"}}, "violated"),
        ({"StringNotLike": {f"{GITHUB}:sub": "repo:them/*"}}, "violated"),
        ({"StringLike": {f"{GITHUB}:sub": "repo:me/*"}}, "fine"),
        ({"StringEquals": {f"{GITHUB}:sub": "repo:me/it:ref:refs/heads/main"}}, "fine"),
    ],
)
def test_a_role_of_github_names_whose_workflows_take_it(condition, outcome):
    statement = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": f"arn:aws:iam::123456789012:oidc-provider/{GITHUB}"},
        **({} if condition is None else {"Condition": condition}),
    }
    (verdict,) = judged("aws:iam/role:Role", assumeRolePolicy=json.dumps({"Statement": statement}))

    assert verdict[0] == outcome
    if outcome == "violated":
        assert verdict[1] == "lets every GitHub repository assume the role"


def test_a_subject_that_is_not_known_yet_is_not_knowable():
    statement = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": f"arn:aws:iam::123456789012:oidc-provider/{GITHUB}"},
        "Condition": {"StringLike": {f"{GITHUB}:sub": UNKNOWN}},
    }
    ((outcome, _),) = judged("aws:iam/role:Role", assumeRolePolicy={"Statement": [statement]})

    assert outcome == "not-knowable"


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ({"Bool": {"aws:SecureTransport": "false"}}, "violated"),
        ({"NumericGreaterThan": {"s3:TlsVersion": "1.1"}}, "violated"),
        ({"StringEquals": {"s3:x-amz-acl": "bucket-owner-full-control"}}, "violated"),
        ({"StringLike": {"aws:PrincipalOrgID": "o-*"}}, "violated"),
        ({"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, "fine"),
        ({"Bool": {"aws:SecureTransport": "true"}, "ArnEquals": {"aws:SourceArn": "a"}}, "fine"),
    ],
)
def test_how_somebody_connects_narrows_nobody(condition, outcome):
    statement = {
        "Effect": "Allow",
        "Action": "sqs:*",
        "Principal": "*",
        "Resource": "*",
        "Condition": condition,
    }
    policy = json.dumps({"Statement": [statement]})
    (verdict,) = judged("aws:sqs/queuePolicy:QueuePolicy", queueUrl="q", policy=policy)

    assert verdict[0] == outcome


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ({}, "violated"),
        ({"Bool": {"aws:SecureTransport": "true"}}, "violated"),
        ({"StringEquals": {"aws:PrincipalOrgID": "o-1"}}, "fine"),
    ],
)
@pytest.mark.parametrize(
    ("token", "key"),
    [("aws:sqs/queuePolicy:QueuePolicy", "policy"), ("aws:iam/role:Role", "assumeRolePolicy")],
)
def test_all_but_some_are_everybody_else(token, key, condition, outcome):
    statement = {
        "Effect": "Allow",
        "Action": "sqs:SendMessage",
        "NotPrincipal": {"AWS": "123456789012"},
        "Condition": condition,
    }
    (verdict,) = judged(token, **{key: json.dumps({"Statement": [statement]})})
    assert verdict[0] == outcome
    if outcome == "violated":
        assert verdict[1] == "allows everyone except the named principals to do sqs:SendMessage"

    denied = json.dumps({"Statement": [{**statement, "Effect": "Deny"}]})
    assert judged(token, **{key: denied})[0][0] == "fine"


def test_everybody_of_any_kind_is_everybody():
    statement = {"Effect": "Allow", "Action": "sqs:SendMessage", "Principal": {"*": "*"}}
    policy = json.dumps({"Statement": [statement]})
    (verdict,) = judged("aws:sqs/queuePolicy:QueuePolicy", policy=policy)

    assert verdict == ("violated", "lets everyone do sqs:SendMessage")


@pytest.mark.parametrize(
    ("token", "more"),
    [
        ("aws:sqs/queue:Queue", {}),
        ("aws:sns/topic:Topic", {}),
        ("aws:kms/key:Key", {}),
        ("aws:kms/replicaKey:ReplicaKey", {}),
        ("aws:kms/externalKey:ExternalKey", {}),
        ("aws:kms/replicaExternalKey:ReplicaExternalKey", {}),
        ("aws:s3/bucket:Bucket", {"bucket": "b"}),
        ("aws:sqs/queuePolicy:QueuePolicy", {"queueUrl": "q"}),
        ("aws:sns/topicPolicy:TopicPolicy", {"arn": "t"}),
    ],
)
def test_a_policy_that_is_open_to_the_world_is_seen_wherever_it_stands(token, more):
    allows = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    everyone = {"Statement": [{**allows, "Principal": "*"}]}
    named = {"Statement": [{**allows, "Principal": {"AWS": "123456789012"}}]}

    (verdict,) = judged(token, policy=json.dumps(everyone), **more)
    assert verdict == ("violated", "lets everyone do *")
    ((hidden, _),) = judged(token, policy=UNKNOWN, **more)
    assert hidden == "not-knowable"
    assert {outcome for outcome, _ in judged(token, policy=json.dumps(named), **more)} <= {
        "fine",
        "not-applicable",
    }


def nested(key, value):
    for name in reversed(key.split(".")):
        value = {name: value}
    return value


@pytest.mark.parametrize(("token", "key"), sorted(resource_types.resource_policies().items()))
def test_a_policy_of_a_resource_that_no_observer_reads_is_seen_too(token, key):
    allows = {"Effect": "Allow", "Action": "*", "Principal": "*"}
    mine = {**allows, "Principal": {"AWS": "123456789012"}}

    (verdict,) = judged(token, **nested(key, json.dumps({"Statement": [allows]})))
    assert verdict == ("violated", "lets everyone do *")
    ((hidden, _),) = judged(token, **nested(key, UNKNOWN))
    assert hidden == "not-knowable"
    ((alone, _),) = judged(token, **nested(key, json.dumps({"Statement": [mine]})))
    assert alone == "not-applicable"
    assert token not in OBSERVERS


@pytest.mark.slow
def test_each_type_with_a_policy_has_it_by_this_name():
    inputs = {kind: names for kind, names, _ in sdk_inputs.types_of("aws")}
    for token, key in (*resource_types.resource_policies().items(), *RIGHTS.items()):
        for name in key.split("."):
            assert re.sub("[A-Z]", lambda char: f"_{char[0].lower()}", name) in inputs[token]


@pytest.mark.parametrize(
    ("source", "outcome"),
    [("arn:aws:s3:::b", "fine"), ("*", "violated"), ("arn:aws:s3:::*", "violated")],
)
def test_a_function_that_any_source_calls_is_open(source, outcome):
    given = {"action": "lambda:InvokeFunction", "function": "f", "principal": "*"}
    ((shown, _),) = judged("aws:lambda/permission:Permission", sourceArn=source, **given)

    assert shown == outcome


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        (None, "violated"),
        ({"StringLike": {"aws:SourceArn": "arn:aws:cloudfront::*:distribution/*"}}, "violated"),
        ({"Bool": {"aws:SecureTransport": "true"}}, "violated"),
        ({"StringEquals": {"AWS:SourceArn": "arn:aws:cloudfront::1:distribution/E"}}, "fine"),
        ({"StringEquals": {"aws:SourceAccount": "123456789012"}}, "fine"),
        ({"StringEquals": {"aws:SourceArn": UNKNOWN}}, "fine"),
    ],
)
def test_a_bucket_is_shown_by_distributions_that_it_names(condition, outcome):
    statement = {
        "Effect": "Allow",
        "Action": "s3:GetObject",
        "Principal": {"Service": ["cloudfront.amazonaws.com"]},
        "Resource": "arn:aws:s3:::b/*",
        **({"Condition": condition} if condition else {}),
    }
    token = "aws:s3/bucketPolicy:BucketPolicy"
    ((shown, words),) = judged(token, bucket="b", policy={"Statement": [statement]})
    assert shown == outcome
    assert (outcome == "violated") == ("for the distributions of every account" in words)
