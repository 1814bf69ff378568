"""What lets everybody in without a policy document: access lists and permissions of functions."""

import json
import re

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.observe.observers import OBJECTS, OBSERVERS, RIGHTS
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_inputs
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
def test_an_access_list_lets_nobody_in_general_in(token, inputs, expected):
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
@pytest.mark.parametrize("moment", ["preview", "created"])
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
        ("violated", f"lets {principal} call it for {of} in any account: no source account")
    ]
    named = judged("aws:lambda/permission:Permission", **given, sourceAccount="123456789012")
    assert [outcome for outcome, _ in named] == ["fine"]


IMAGES = "aws:imagebuilder/distributionConfiguration:DistributionConfiguration"
CONDITION = {"key": "aws:PrincipalOrgID", "type": "StringEquals", "value": "o-1"}
FUNCTION_URL = "aws:lambda/functionUrl:FunctionUrl"
GATEWAY = "aws:bedrock/agentcoreGateway:AgentcoreGateway"
SERVICE = "aws:ec2/vpcEndpointService:VpcEndpointService"
PRINCIPAL = "aws:ec2/vpcEndpointServiceAllowedPrinciple:VpcEndpointServiceAllowedPrinciple"
SHARED = "aws:ssm/document:Document"


def distributed(groups):
    launch = {"launchPermission": {"userGroups": groups}}
    return {"distributions": [{"region": "a", "amiDistributionConfiguration": launch}]}


@pytest.mark.parametrize(
    ("token", "inputs", "outcome"),
    [
        ("aws:cloudwatch/eventPermission:EventPermission", {"principal": "*"}, "violated"),
        (
            "aws:cloudwatch/eventPermission:EventPermission",
            {"principal": "*", "condition": CONDITION},
            "not-applicable",
        ),
        ("aws:cloudwatch/eventPermission:EventPermission", {"principal": "1"}, "not-applicable"),
        (
            "aws:cloudwatch/eventPermission:EventPermission",
            {"principal": UNKNOWN},
            "not-knowable",
        ),
        ("aws:ec2/amiLaunchPermission:AmiLaunchPermission", {"group": "all"}, "violated"),
        ("aws:ec2/amiLaunchPermission:AmiLaunchPermission", {"accountId": "1"}, "not-applicable"),
        (IMAGES, distributed(["all"]), "violated"),
        (IMAGES, distributed([]), "not-applicable"),
        (
            "aws:lambda/layerVersionPermission:LayerVersionPermission",
            {"principal": "*"},
            "violated",
        ),
        (
            "aws:lambda/layerVersionPermission:LayerVersionPermission",
            {"principal": "*", "organizationId": "o-1"},
            "not-applicable",
        ),
        (FUNCTION_URL, {"functionName": "f", "authorizationType": "NONE"}, "violated"),
        (FUNCTION_URL, {"functionName": "f", "authorizationType": "AWS_IAM"}, "not-applicable"),
        (FUNCTION_URL, {"functionName": "f", "authorizationType": UNKNOWN}, "not-knowable"),
        (SERVICE, {"allowedPrincipals": ["*"], "acceptanceRequired": False}, "violated"),
        (SERVICE, {"allowedPrincipals": ["*"], "acceptanceRequired": True}, "not-applicable"),
        (
            SERVICE,
            {"allowedPrincipals": ["arn:aws:iam::1:root"], "acceptanceRequired": False},
            "not-applicable",
        ),
        (GATEWAY, {"name": "g", "authorizerType": "NONE"}, "violated"),
        (GATEWAY, {"name": "g", "authorizerType": "CUSTOM_JWT"}, "not-applicable"),
        ("aws:rds/snapshot:Snapshot", {"sharedAccounts": ["all"]}, "violated"),
        ("aws:rds/snapshot:Snapshot", {"sharedAccounts": ["1"]}, "not-applicable"),
        ("aws:rds/clusterSnapshot:ClusterSnapshot", {"sharedAccounts": ["all"]}, "violated"),
        (SHARED, {"permissions": {"type": "Share", "accountIds": "All"}}, "violated"),
        (SHARED, {"permissions": {"type": "Share", "accountIds": "1,2"}}, "not-applicable"),
        (SHARED, {"content": "{}"}, "not-applicable"),
        (SHARED, {"permissions": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_word_opens_nothing_to_everyone(token, inputs, outcome):
    ((shown, message),) = judged(token, **inputs)
    assert shown == outcome
    assert (shown == "violated") == message.startswith("lets everyone ")


@pytest.mark.parametrize("moment", ["preview", "created"])
@pytest.mark.parametrize(
    ("accepts", "principal", "expected"),
    [
        (False, "*", ["violated"]),
        (True, "*", ["not-applicable"]),
        (False, "arn:aws:iam::123456789012:root", ["not-applicable"]),
        (None, "*", ["not-knowable"]),
    ],
)
def test_a_principal_is_accepted_by_the_service_that_it_connects_to(
    accepts, principal, expected, moment
):
    program = Program()
    service = "vpce-svc-of-another-stack"
    if accepts is not None:
        service = program.add(SERVICE, "service", acceptanceRequired=accepts).id
    program.add(PRINCIPAL, "all", vpcEndpointServiceId=service, principalArn=principal)
    plan = of_resources(program.resources(moment))
    assert [outcome for outcome, _ in verdicts(plan, "wildcard-policy")] == expected


ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"
EVERYTHING = '{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'


@pytest.mark.parametrize(
    ("action", "resource", "expected"),
    [
        ("*", "*", ["violated"]),
        ("iot:*", "*", ["violated"]),
        ("iot:Connect", "*", ["not-applicable"]),
        ("iot:*", "arn:aws:iot:us-east-1:1:client/${iot:ClientId}", ["not-applicable"]),
    ],
)
def test_a_device_is_not_allowed_everything(action, resource, expected):
    statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    policy = json.dumps({"Statement": [statement]})
    assert [outcome for outcome, _ in judged("aws:iot/policy:Policy", policy=policy)] == expected


@pytest.mark.parametrize(("token", "key"), sorted(RIGHTS.items()))
def test_rights_of_people_are_read_as_those_of_roles(token, key):
    value = EVERYTHING if key == "inlinePolicy" else [ADMINISTRATOR]
    ((outcome, words),) = judged(token, **{key: value})
    assert outcome == "violated"
    assert "all" in words
    narrow = ["arn:aws:iam::aws:policy/ReadOnlyAccess"] if key != "inlinePolicy" else "{}"
    assert [outcome for outcome, _ in judged(token, **{key: narrow})] == ["not-applicable"]


@pytest.mark.slow
def test_the_table_of_openings_has_all_types_by_their_inputs():
    inputs = {kind: names for kind, names, _ in sdk_inputs.types_of("aws")}
    rows = list(TABLES.rows("openings"))
    assert not any(row["type"] in OBSERVERS for row in rows)
    for row in rows:
        for word in filter(None, (*row["path"].split("."), row["narrowed"])):
            plain = re.sub("[A-Z]", lambda char: f"_{char[0].lower()}", word)
            kind = row["through"][1] if row["through"] and word == row["narrowed"] else row["type"]
            assert plain in inputs[kind] or plain == "account_ids"


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
