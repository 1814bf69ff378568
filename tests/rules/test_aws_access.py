"""What lets everybody in without a policy document: access lists and permissions of functions."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

ALL = "http://acs.amazonaws.com/groups/global/AllUsers"
ANY_ACCOUNT = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"


def judged(token, **inputs):
    program = Program()
    program.add(token, "it", **inputs)
    return verdicts(of_resources(program.resources()), "wildcard-policy")


def grants(uri):
    return {"grants": [{"grantee": {"type": "Group", "uri": uri}, "permission": "READ"}]}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"acl": "private"}, ("fine", "no wildcard grants more than intended")),
        ({"acl": "log-delivery-write"}, ("fine", "no wildcard grants more than intended")),
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
        ({"accessControlPolicy": grants("")}, ("fine", "no wildcard grants more than intended")),
        ({"acl": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
        ({"accessControlPolicy": UNKNOWN}, ("not-knowable", "its permissions are unknown")),
        (
            {"accessControlPolicy": grants(UNKNOWN)},
            ("not-knowable", "its permissions are unknown"),
        ),
    ],
)
@pytest.mark.parametrize("token", ["aws:s3/bucketAcl:BucketAcl", "aws:s3/bucketAclV2:BucketAclV2"])
def test_an_access_list_lets_nobody_in_general_in(token, inputs, expected):
    assert judged(token, bucket="of-another-stack", **inputs) == [expected]


def test_a_bucket_of_its_own_says_only_what_is_wrong():
    bucket = "aws:s3/bucket:Bucket"
    assert judged(bucket, acl="private")[0][0] == "not-applicable"
    assert judged(bucket, acl="public-read")[0][0] == "violated"
    assert judged(bucket, grants=[{"uri": ALL, "permissions": ["READ", "WRITE"]}]) == [
        ("violated", "grants READ, WRITE to everyone")
    ]


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [
        ({"principal": "*"}, "violated"),
        ({"principal": "*", "sourceAccount": "1"}, "fine"),
        ({"principal": "*", "sourceArn": UNKNOWN}, "fine"),
        ({"principal": "*", "principalOrgId": "o-1"}, "fine"),
        ({"principal": "events.amazonaws.com"}, "fine"),
        ({"principal": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_function_is_called_by_somebody_in_particular(inputs, outcome):
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
    ("tier", "words"),
    [(None, ""), ("Standard", ""), ("Advanced", "Advanced"), (UNKNOWN, "not known yet")],
)
def test_only_a_standard_parameter_is_free(tier, words):
    program = Program()
    said_of_it = {} if tier is None else {"tier": tier}
    program.add("aws:ssm/parameter:Parameter", "p", type="String", value="x", **said_of_it)
    program.add("aws:ecs/taskDefinition:TaskDefinition", "t", family="f")
    reasons = [row.reason for row in observe(program.resources()).not_judged]
    expected = [f"no price is known for a parameter of tier {words}"] if words else []
    assert reasons == expected
