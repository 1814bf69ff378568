"""What lets everybody in without a policy document: access lists and permissions of functions."""

import pytest

from gpuinfra.clouds.aws.observe.observers import OBJECTS
from gpuinfra.model import UNKNOWN
from tests.rules.cases.grants import judged
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

ALL = "http://acs.amazonaws.com/groups/global/AllUsers"
ANY_ACCOUNT = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"


def grants(uri):
    return {"grants": [{"grantee": {"type": "Group", "uri": uri}, "permission": "READ"}]}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"acl": "private"}, ("fine", "no wildcard grants broad permissions")),
        ({"acl": "log-delivery-write"}, ("fine", "no wildcard grants broad permissions")),
        ({"acl": "public-read"}, ("violated", "lets everyone read (public-read)")),
        (
            {"acl": "public-read-write"},
            ("violated", "lets everyone read and write (public-read-write)"),
        ),
        (
            {"acl": "authenticated-read"},
            ("violated", "lets everyone with an AWS account read (authenticated-read)"),
        ),
        ({"accessControlPolicy": grants(ALL)}, ("violated", "grants READ to everyone")),
        (
            {"accessControlPolicy": grants(ANY_ACCOUNT)},
            ("violated", "grants READ to everyone with an AWS account"),
        ),
        ({"accessControlPolicy": grants("")}, ("fine", "no wildcard grants broad permissions")),
        ({"acl": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
        ({"accessControlPolicy": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
        (
            {"accessControlPolicy": grants(UNKNOWN)},
            ("not-knowable", "its permissions are unknown"),
        ),
    ],
)
@pytest.mark.parametrize("token", ["aws:s3/bucketAcl:BucketAcl", "aws:s3/bucketAclV2:BucketAclV2"])
def test_an_access_list_is_not_public(token, inputs, expected):
    assert judged(token, bucket="of-another-stack", **inputs) == [expected]


def test_a_bucket_of_its_own_says_only_what_is_wrong():
    bucket = "aws:s3/bucket:Bucket"
    assert judged(bucket, acl="private")[0][0] == "not-applicable"
    assert judged(bucket, acl="public-read")[0][0] == "violated"
    assert judged(bucket, grants=[{"uri": ALL, "permissions": ["READ", "WRITE"]}]) == [
        ("violated", "grants READ, WRITE to everyone")
    ]


OBJECT_TYPES = pytest.mark.parametrize("token", sorted(OBJECTS))


@OBJECT_TYPES
@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"acl": "public-read"}, "violated"),
        ({"acl": "authenticated-read"}, "violated"),
        ({"acl": UNKNOWN}, "not-knowable"),
        ({"acl": "private"}, "not-applicable"),
        ({"acl": "bucket-owner-full-control"}, "not-applicable"),
        ({}, "not-applicable"),
    ],
)
def test_an_object_of_a_bucket_of_elsewhere_is_not_for_everyone(token, inputs, outcome):
    assert judged(token, bucket="elsewhere", key="k", **inputs)[0][0] == outcome


def test_a_copy_of_an_object_grants_nothing_to_everyone():
    copied = {"bucket": "elsewhere", "key": "k", "source": "a/b"}
    given = [{"type": "Group", "uri": ALL, "permissions": ["READ"]}]
    assert judged("aws:s3/objectCopy:ObjectCopy", **copied, grants=given) == [
        ("violated", "grants READ to everyone")
    ]


@OBJECT_TYPES
@both
@pytest.mark.parametrize(
    ("owner", "ignores", "outcome"),
    [
        (None, None, "not-applicable"),
        ("BucketOwnerEnforced", False, "not-applicable"),
        ("BucketOwnerPreferred", None, "violated"),
        ("BucketOwnerPreferred", False, "violated"),
        ("ObjectWriter", True, "not-applicable"),
    ],
)
def test_a_bucket_may_ignore_the_lists_of_its_objects(token, owner, ignores, outcome, moment):
    program = Program()
    bucket = program.add("aws:s3/bucket:Bucket", "b")
    if owner:
        controls = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
        program.add(controls, "o", bucket=bucket.id, rule={"objectOwnership": owner})
    if ignores is not None:
        block = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
        program.add(block, "p", bucket=bucket.id, ignorePublicAcls=ignores)
    program.add(token, "it", bucket=bucket.id, key="k", acl="public-read")
    plan = of_resources(program.resources(moment))
    assert [outcome for outcome, _ in verdicts(plan, "wildcard-policy")] == [outcome]


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"principal": "*"}, "violated"),
        ({"principal": "*", "sourceAccount": "1"}, "fine"),
        ({"principal": "*", "sourceArn": UNKNOWN}, "fine"),
        ({"principal": "*", "principalOrgId": "o-1"}, "fine"),
        ({"principal": "secretsmanager.amazonaws.com"}, "fine"),
        ({"principal": "events.amazonaws.com", "sourceArn": UNKNOWN}, "fine"),
        ({"principal": "s3.amazonaws.com", "sourceAccount": "123456789012"}, "fine"),
        ({"principal": "s3.amazonaws.com", "sourceArn": "arn:aws:s3:::b"}, "fine"),
        ({"principal": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_function_is_called_by_a_stated_principal(inputs, outcome):
    seen = judged(
        "aws:lambda/permission:Permission",
        function="f",
        action="lambda:InvokeFunction",
        **inputs,
    )
    assert [outcome for outcome, _ in seen] == [outcome]
    if outcome == "violated":
        assert seen[0][1] == "lets everyone do lambda:InvokeFunction"


@pytest.mark.parametrize(
    ("service", "of"),
    [
        ("s3", "buckets"),
        ("cloudfront", "distributions"),
        ("sns", "topics"),
        ("events", "rules"),
        ("apigateway", "APIs"),
        ("elasticloadbalancing", "target groups"),
    ],
)
def test_a_function_is_not_called_for_what_is_of_everyone(service, of):
    principal = f"{service}.amazonaws.com"
    given = {"function": "f", "action": "lambda:InvokeFunction", "principal": principal}
    assert judged("aws:lambda/permission:Permission", **given) == [
        ("violated", f"lets {principal} call it for {of} in any account: set source_account")
    ]
    named = judged("aws:lambda/permission:Permission", **given, sourceAccount="123456789012")
    assert [outcome for outcome, _ in named] == ["fine"]
