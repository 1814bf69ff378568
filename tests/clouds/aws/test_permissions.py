"""What policies grant is decided by what they take in, not by how it is spelt."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.observe.rights.identity import document_is
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.program import Program

POLICY = "aws:iam/policy:Policy"


def document(action: Any, resource: Any = "*", **more: Any) -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource} | more
    kept = {key: value for key, value in statement.items() if value is not None}
    return json.dumps({"Statement": [kept]})


def faults(policy: str) -> Any:
    program = Program()
    program.add(POLICY, "p", policy=policy)
    return [
        fault.message for grant in observe(program.resources()).grants for fault in grant.faults
    ]


@pytest.mark.parametrize(
    "action", ["*", "**", "?*", "*?", "*:*", "?*:?*", "*:?*", ["s3:Get*", "*"]]
)
@pytest.mark.parametrize("resource", ["*", "?*", "**", "arn:*", "arn:aws:*", ["arn:*:*:*"]])
def test_everything_is_wide_however_it_is_spelt(action, resource):
    assert document_is(document(action, resource)) is True
    assert "all actions on all resources" in faults(document(action, resource))[0]


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("iam:*", "*"),
        ("iam:?*", "*"),
        ("IAM:*", "*"),
        ("i*:*", "*"),
        ("iam:A*", "*"),
        ("iam:attachrolepolicy", "*"),
        ("iam:Attach????Policy", "?*"),
        ("iam:*Policy*", "*"),
        ("iam:*", "arn:aws:iam::*:*"),
        ("*", "arn:aws:iam::*:*"),
        ("iam:PutRolePolicy", "arn:aws:iam::123456789012:*"),
        ("iam:PutUserPolicy", "arn:aws:iam::123456789012:user/*"),
        ("iam:AttachRolePolicy", "arn:aws:iam::*:role/*"),
        ("iam:CreatePolicyVersion", "arn:aws-us-gov:iam::*:policy/*"),
        (["iam:PassRole", "ec2:RunInstances", "iam:AttachRolePolicy"], "*"),
    ],
)
def test_who_may_give_itself_rights_is_an_administrator(action, resource):
    assert document_is(document(action, resource)) is True
    assert faults(document(action, resource))


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("s3:*", "arn:aws:s3:::*"),
        ("s3:?*", "*"),
        ("S3:*", "arn:aws:s3:::*"),
        ("s?:*", "*"),
        ("ec2:*", "arn:aws:ec2:*:*:*"),
        ("ec2:*", "arn:aws:ec2:us-east-1:123456789012:*"),
        ("s3:*", "arn:aws:s3:::*/*"),
    ],
)
def test_all_of_a_service_on_all_of_it_is_wide(action, resource):
    assert faults(document(action, resource))
    assert document_is(document(action, resource)) is False


def test_all_resources_but_some_are_nearly_all():
    spared = document("*", None, NotResource="arn:aws:s3:::a")

    assert document_is(spared) is True
    assert faults(spared)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("s3:*", ["arn:aws:s3:::data", "arn:aws:s3:::data/*"]),
        ("s3:*", "arn:aws:s3:::team-*"),
        ("iam:Get*", "*"),
        ("iam:PassRole", "*"),
        ("iam:AttachRolePolicy", "arn:aws:iam::123456789012:role/app-*"),
        ("iam:CreateServiceLinkedRole", "*"),
        (["ec2:Describe*", "autoscaling:Describe*"], "*"),
        ("logs:PutLogEvents", "arn:aws:logs:*:*:*"),
        ("*", "arn:aws:s3:::data/*"),
    ],
)
def test_what_is_named_is_not_wide(action, resource):
    assert document_is(document(action, resource)) is False
    assert not faults(document(action, resource))


def test_a_condition_that_everyone_meets_grants_as_widely_as_none():
    met = {"StringLike": {"aws:PrincipalArn": "*"}}

    assert faults(document("iam:AttachRolePolicy", Condition=met))
    assert faults(document("*", Condition=met))
    assert document_is(document("iam:AttachRolePolicy", Condition=met)) is True


def test_a_condition_or_a_denial_grants_nothing_widely():
    bound = {"StringEquals": {"iam:PermissionsBoundary": "arn:aws:iam::123456789012:policy/b"}}

    assert not faults(document("iam:AttachRolePolicy", Condition=bound))
    assert document_is(document("iam:AttachRolePolicy", Condition=bound)) is False
    assert not faults(document("*", Effect="Deny"))


def test_a_policy_that_is_not_known_yet_is_not_judged():
    program = Program()
    program.add(POLICY, "p", policy=UNKNOWN)

    (grant,) = observe(program.resources()).grants
    assert faults_of(grant.faults, "wildcard-policy") is UNKNOWN


WIDE = tuple(TABLES.rows("wide_actions"))
ALONE = [row for row in WIDE if row["way"] != "own"]


@pytest.mark.parametrize("row", ALONE, ids=lambda row: row["action"])
def test_each_action_of_the_table_is_wide_alone_or_with_what_it_needs(row):
    needed = [row["action"], *row["with"], *(["iam:PassRole"] if row["way"] == "passing" else ())]
    (fault,) = faults(document(needed))
    assert row["action"] in fault
    assert row["way"] == "self" or (row["power"] or "it can use any role") in fault
    narrow = "arn:aws:iam::123456789012:role/one"
    assert not faults(document(needed, narrow))
    assert len(needed) == 1 or not faults(document(row["action"]))


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("ssm:SendCommand", "arn:aws:ec2:*:123456789012:instance/*"),
        ("lambda:UpdateFunctionCode", "arn:aws:lambda:us-east-1:123456789012:function:*"),
        ("kms:PutKeyPolicy", "arn:aws:kms:*:123456789012:key/*"),
        ("secretsmanager:PutResourcePolicy", "arn:aws:secretsmanager:*:123456789012:secret:*"),
        ("ecs:ExecuteCommand", "arn:aws:ecs:*:*:task/*"),
        ("sts:AssumeRole", "arn:aws:iam::*:role/*"),
        ("codebuild:StartBuild", "arn:aws:codebuild:*:123456789012:project/*"),
        ("ec2:ModifySnapshotAttribute", "arn:aws:ec2:*::snapshot/*"),
        ("rds:ModifyDBSnapshotAttribute", "arn:aws:rds:*:123456789012:snapshot:*"),
        ("s3:GetObject", "arn:aws:s3:*:123456789012:accesspoint/*/object/*"),
        ("s3:DeleteObject", "arn:aws:s3:us-east-1:123456789012:accesspoint/*"),
        ("s3:PutObject", "arn:aws:s3:::*/*"),
        ("ebs:GetSnapshotBlock", "arn:aws:ec2:*::snapshot/*"),
        ("s3express:CreateSession", "arn:aws:s3express:*:123456789012:bucket/*"),
        ("s3tables:GetTableData", "arn:aws:s3tables:*:123456789012:bucket/*"),
        ("kms:ScheduleKeyDeletion", "arn:aws:kms:*:123456789012:key/*"),
        ("dynamodb:DeleteTable", "arn:aws:dynamodb:*:123456789012:table/*"),
        ("dynamodb:Scan", "arn:aws:dynamodb:*:123456789012:table/*"),
        ("sqs:ReceiveMessage", "arn:aws:sqs:*:123456789012:*"),
        ("rds-data:ExecuteStatement", "arn:aws:rds:*:123456789012:cluster:*"),
        ("redshift-data:ExecuteStatement", "arn:aws:redshift-serverless:*:*:workgroup/*"),
        ("logs:FilterLogEvents", "arn:aws:logs:*:123456789012:log-group:*"),
        ("kinesis:GetRecords", "arn:aws:kinesis:*:123456789012:stream/*"),
        ("cassandra:Select", "arn:aws:cassandra:*:123456789012:/keyspace/*"),
        ("ssm:GetParameterHistory", "arn:aws:ssm:*:123456789012:parameter/*"),
        ("cloudformation:DeleteStack", "arn:aws:cloudformation:*:*:stack/*"),
        ("rds:DeleteDBInstance", "arn:aws:rds:*:123456789012:db:*"),
        ("iam:CreateSAMLProvider", "arn:aws:iam::123456789012:saml-provider/*"),
        ("iam:CreateOpenIDConnectProvider", "arn:aws:iam::*:oidc-provider/*"),
        ("iam:AddClientIDToOpenIDConnectProvider", "arn:aws:iam::*:oidc-provider/*"),
        ("s3:CreateAccessGrant", "arn:aws:s3:*:123456789012:access-grants/*"),
        ("s3:PutAccessGrantsInstanceResourcePolicy", "arn:aws:s3:*:*:access-grants/*"),
    ],
)
def test_all_things_of_a_kind_are_everything_that_the_action_is_about(action, resource):
    assert faults(document(action, resource))
    assert not faults(document(action, resource.replace("*", "one")))


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("s3:GetObject", "arn:aws:s3:us-east-1:123456789012:accesspoint/one/object/*"),
        ("s3:PutObject", "arn:aws:s3:::acme-*/*"),
        ("s3:DeleteObject", "arn:aws:s3:::acme/*"),
        ("ec2:DeleteSnapshot", "*"),
        ("ec2:TerminateInstances", "*"),
        ("ec2:DeleteVolume", "*"),
        ("fsx:DeleteFileSystem", "*"),
        ("ecr:BatchGetImage", "*"),
        ("logs:PutLogEvents", "*"),
        ("sqs:SendMessage", "*"),
        ("dynamodb:PutItem", "*"),
        ("athena:StartQueryExecution", "*"),
        ("athena:GetQueryResults", "*"),
        ("glue:GetTable", "*"),
        ("bedrock:InvokeModel", "*"),
        ("logs:FilterLogEvents", "arn:aws:logs:*:*:log-group:/aws/lambda/*"),
        ("sqs:ReceiveMessage", "arn:aws:sqs:*:*:interruptions-*"),
    ],
)
def test_what_one_thing_holds_and_what_tools_of_clusters_need_is_not_everything(action, resource):
    assert not faults(document(action, resource))


def test_a_read_only_session_of_directory_buckets_is_narrowed():
    reads = {"StringEquals": {"s3express:SessionMode": "ReadOnly"}}
    assert not faults(document("s3express:CreateSession", Condition=reads))


def test_a_power_is_told_once():
    (fault,) = faults(document(["kms:CreateGrant", "kms:PutKeyPolicy"]))
    assert fault.endswith("it can let anyone use every key")


def test_a_key_is_granted_to_services_alone_by_a_condition():
    ours = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    assert faults(document("kms:CreateGrant"))
    assert not faults(document("kms:CreateGrant", Condition=ours))


def test_an_image_builder_that_never_starts_a_machine_again_runs_nothing_on_others():
    packer = ["ec2:ModifyInstanceAttribute", "ec2:RunInstances", "ec2:StopInstances"]
    assert not faults(document(packer))
    assert faults(document([*packer, "ec2:StartInstances"]))


def test_names_of_wide_actions_are_names_of_actions():
    named = TABLES.table("actions")["services"]
    for row in WIDE:
        service, _, action = row["action"].partition(":")
        if service in named:
            assert action in f"{named[service]['reads']} {named[service]['changes']}".split()


def test_a_pattern_of_many_wildcards_takes_no_time():
    assert document_is(document("*?" * 200 + "z:" + "*a" * 20, "*")) is False
