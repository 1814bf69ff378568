"""Settings of AWS that open a resource to everyone by a word, and rights of devices and people."""

import json
import re

import pytest

from gpuinfra.clouds.aws.observe.observers import OBSERVERS, RIGHTS
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_inputs
from tests.rules.cases.grants import judged
from tests.rules.cases.judging import of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

IMAGES = "aws:imagebuilder/distributionConfiguration:DistributionConfiguration"
CONDITION = {"key": "aws:PrincipalOrgID", "type": "StringEquals", "value": "o-1"}
FUNCTION_URL = "aws:lambda/functionUrl:FunctionUrl"
GATEWAY = "aws:bedrock/agentcoreGateway:AgentcoreGateway"
SERVICE = "aws:ec2/vpcEndpointService:VpcEndpointService"
PRINCIPAL = "aws:ec2/vpcEndpointServiceAllowedPrinciple:VpcEndpointServiceAllowedPrinciple"
SHARED = "aws:ssm/document:Document"
SNAPSHOTS = "aws:ebs/snapshotBlockPublicAccess:SnapshotBlockPublicAccess"
BLOCK = "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock"
CLUSTERS = "aws:emr/blockPublicAccessConfiguration:BlockPublicAccessConfiguration"


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
        (SNAPSHOTS, {"state": "unblocked"}, "violated"),
        (SNAPSHOTS, {"state": "block-all-sharing"}, "not-applicable"),
        (SNAPSHOTS, {"state": UNKNOWN}, "not-knowable"),
        (
            "aws:ec2/imageBlockPublicAccess:ImageBlockPublicAccess",
            {"state": "unblocked"},
            "violated",
        ),
        (BLOCK, {"restrictPublicBuckets": False}, "violated"),
        (BLOCK, {"restrictPublicBuckets": "false"}, "violated"),
        (BLOCK, {"restrictPublicBuckets": True}, "not-applicable"),
        (BLOCK, {"blockPublicAcls": True}, "violated"),
        (CLUSTERS, {"blockPublicSecurityGroupRules": False}, "violated"),
        (CLUSTERS, {"blockPublicSecurityGroupRules": True}, "not-applicable"),
    ],
)
def test_a_word_opens_nothing_to_everyone(token, inputs, outcome):
    ((shown, message),) = judged(token, **inputs)
    assert shown == outcome
    assert (shown == "violated") == message.startswith("lets everyone ")


@both
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


VAULT_ROLE = "vault:aws/secretBackendRole:SecretBackendRole"


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"policyDocument": EVERYTHING}, ["violated"]),
        ({"policyArns": [ADMINISTRATOR]}, ["violated"]),
        ({"policyArns": ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"]}, []),
        ({"policyDocument": "{}"}, []),
        ({"policyDocument": UNKNOWN}, ["not-knowable"]),
        ({"policyDocument": EVERYTHING, "permissionsBoundaryArn": "b"}, ["not-knowable"]),
        ({"policyDocument": EVERYTHING, "credentialType": UNKNOWN}, ["not-knowable"]),
        ({"policyDocument": EVERYTHING, "credentialType": "assumed_role"}, []),
        ({"policyDocument": EVERYTHING, "credentialType": "federation_token"}, []),
    ],
)
def test_users_that_vault_makes_have_narrow_policies(inputs, expected):
    found = judged(VAULT_ROLE, **{"credentialType": "iam_user", **inputs})
    assert [outcome for outcome, _ in found if outcome != "not-applicable"] == expected


def test_users_that_vault_makes_are_judged_beside_another_cloud():
    program = Program()
    program.add(VAULT_ROLE, "it", credentialType="iam_user", policyArns=[ADMINISTRATOR])
    program.add("gcp:storage/bucket:Bucket", "bucket", location="US")
    found = verdicts(of_resources(program.resources()), "wildcard-policy")
    assert [outcome for outcome, _ in found] == ["violated"]


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


def policy(principal, action, **more):
    statement = {"Effect": "Allow", "Principal": principal, "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [{**statement, **more}]})


STRANGERS = ("*", {"AWS": "*"})
ONE_ACCOUNT = (
    ({"AWS": "arn:aws:iam::999999999999:root"}, {}),
    ({"AWS": "999999999999"}, {}),
    ("*", {"Condition": {"StringEquals": {"aws:PrincipalAccount": "999999999999"}}}),
)


@pytest.mark.parametrize(
    ("token", "action"),
    [
        ("aws:s3/bucketPolicy:BucketPolicy", "s3:GetObject"),
        ("aws:ecr/repositoryPolicy:RepositoryPolicy", "ecr:BatchGetImage"),
        ("aws:sqs/queuePolicy:QueuePolicy", "sqs:ReceiveMessage"),
        ("aws:kms/keyPolicy:KeyPolicy", "kms:Decrypt"),
        ("aws:secretsmanager/secretPolicy:SecretPolicy", "secretsmanager:GetSecretValue"),
    ],
)
def test_one_other_account_is_not_everyone(token, action):
    for principal in STRANGERS:
        document = policy(principal, action)
        assert "violated" in [each for each, _ in judged(token, policy=document)]
    for principal, more in ONE_ACCOUNT:
        document = policy(principal, action, **more)
        assert "violated" not in [each for each, _ in judged(token, policy=document)]
