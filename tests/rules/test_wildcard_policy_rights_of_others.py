"""Wildcards that use what others may: their roles, their machines, all data."""

import json

import pytest

from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts


@both
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ({"Action": "sts:AssumeRole", "Resource": "*"}, "violated"),
        ({"Action": "sts:AssumeRole", "Resource": "arn:aws:iam::*:role/*"}, "violated"),
        ({"Action": "sts:AssumeRole", "Resource": "arn:aws:iam::1:role/one"}, "fine"),
        ({"Action": ["ssm:Send*"], "Resource": "*"}, "violated"),
        (
            {
                "Action": "ssm:SendCommand",
                "Resource": ["arn:aws:ec2:*:*:instance/*", "arn:aws:ssm:*:*:document/*"],
            },
            "violated",
        ),
        ({"Action": "ssm:StartSession", "Resource": "*"}, "violated"),
        ({"Action": "ssm:StartSession", "Resource": "arn:aws:ec2:*:*:instance/i-1"}, "fine"),
        ({"Action": "ec2-instance-connect:SendSSHPublicKey", "Resource": "*"}, "violated"),
        (
            {
                "Action": "ec2-instance-connect:*SSHPublicKey",
                "Resource": "arn:aws:ec2:*:*:instance/*",
            },
            "violated",
        ),
        (
            {
                "Action": "ec2-instance-connect:SendSSHPublicKey",
                "Resource": "arn:aws:ec2:us-east-1:123456789012:instance/i-1",
            },
            "fine",
        ),
        (
            {
                "Action": "ec2-instance-connect:SendSSHPublicKey",
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:ResourceTag/team": "ml"}},
            },
            "fine",
        ),
        ({"Action": "ec2-instance-connect:OpenTunnel", "Resource": "*"}, "violated"),
        (
            {
                "Action": "ec2-instance-connect:SendSerialConsoleSSHPublicKey",
                "Resource": "arn:aws:ec2:*:123456789012:instance/*",
            },
            "violated",
        ),
        ({"Action": "ec2:GetPasswordData", "Resource": "*"}, "violated"),
        ({"Action": "ec2:Describe*", "Resource": "*"}, "fine"),
        ({"Action": "secretsmanager:GetSecretValue", "Resource": "*"}, "violated"),
        (
            {
                "Action": "secretsmanager:GetSecretValue",
                "Resource": "arn:aws:secretsmanager:*:*:secret:*",
            },
            "violated",
        ),
        (
            {
                "Action": "secretsmanager:GetSecretValue",
                "Resource": "arn:aws:secretsmanager:us-east-1:123456789012:secret:team/*",
            },
            "fine",
        ),
        ({"Action": "ssm:GetParameter*", "Resource": "*"}, "violated"),
        (
            {"Action": "ssm:GetParametersByPath", "Resource": "arn:aws:ssm:*:*:parameter/*"},
            "violated",
        ),
        (
            {"Action": "ssm:GetParameter", "Resource": "arn:aws:ssm:*:*:parameter/aws/service/*"},
            "fine",
        ),
        ({"Action": "kms:Decrypt", "Resource": "*"}, "violated"),
        ({"Action": "kms:Decrypt", "Resource": "arn:aws:kms:*:123456789012:key/*"}, "violated"),
        (
            {
                "Action": "kms:Decrypt",
                "Resource": "*",
                "Condition": {"StringEquals": {"kms:ViaService": "s3.us-east-1.amazonaws.com"}},
            },
            "fine",
        ),
        ({"Action": "lambda:UpdateFunctionCode", "Resource": "*"}, "violated"),
        ({"Action": "s3:PutBucketPolicy", "Resource": "arn:aws:s3:::*"}, "violated"),
        ({"Action": "s3:PutBucketPolicy", "Resource": "arn:aws:s3:::data"}, "fine"),
        ({"Action": "ssm:DescribeInstanceInformation", "Resource": "*"}, "fine"),
        ({"Action": "s3:*Object*", "Resource": "arn:aws:s3:::*/*"}, "violated"),
        ({"Action": "s3:*Object", "Resource": "*"}, "violated"),
        ({"Action": "s3:*Object*", "Resource": "arn:aws:s3:::data/*"}, "fine"),
        ({"Action": "s3:Get*", "Resource": "*"}, "violated"),
        ({"Action": "s3:GetObject", "Resource": "arn:aws:s3:::*/*"}, "violated"),
        ({"Action": "s3:GetObject", "Resource": "arn:aws:s3:::data/*"}, "fine"),
        ({"Action": "s3:GetObjectVersion", "Resource": "*"}, "violated"),
        ({"Action": ["s3:List*", "s3:GetBucket*"], "Resource": "*"}, "fine"),
        (
            {
                "Action": "s3:GetObject",
                "Resource": "*",
                "Condition": {"StringEquals": {"s3:ExistingObjectTag/team": "ml"}},
            },
            "fine",
        ),
        ({"Action": "kms:ReEncrypt*", "Resource": "*"}, "violated"),
        ({"Action": "dynamodb:*Item", "Resource": "arn:aws:dynamodb:*:*:table/*"}, "violated"),
        ({"Action": "dynamodb:*Item", "Resource": "arn:aws:dynamodb:*:*:table/a"}, "fine"),
        (
            {
                "Action": "*",
                "Resource": "*",
                "Condition": {"Bool": {"aws:MultiFactorAuthPresent": "true"}},
            },
            "violated",
        ),
        (
            {
                "Action": "*",
                "Resource": "*",
                "Condition": {"StringEquals": {"aws:RequestedRegion": "us-east-1"}},
            },
            "violated",
        ),
        (
            {"Action": ["iam:PassRole", "ssm:StartAutomationExecution"], "Resource": "*"},
            "violated",
        ),
    ],
)
def test_what_acts_as_others_on_everything_is_too_wide(statement, expected, moment):
    program = Program()
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}
    program.add("aws:iam/policy:Policy", "p", policy=json.dumps(policy))

    assert outcomes(of_resources(program.resources(moment)), "wildcard-policy") == [expected]


@both
@pytest.mark.parametrize(
    ("role", "condition", "expected"),
    [
        ("roles/storage.admin", {"title": "t", "expression": " true "}, "violated"),
        ("roles/storage.admin", {"title": "t", "expression": "resource.name == 'x'"}, "fine"),
        ("roles/iam.serviceAccountUser", None, "violated"),
        ("roles/iam.serviceAccountTokenCreator", None, "violated"),
        ("roles/compute.osLogin", None, "violated"),
        ("roles/compute.osAdminLogin", None, "violated"),
        ("roles/iap.tunnelResourceAccessor", None, "violated"),
        (
            "roles/iap.tunnelResourceAccessor",
            {"title": "t", "expression": "destination.port == 1"},
            "fine",
        ),
        ("roles/secretmanager.secretAccessor", None, "violated"),
        ("roles/cloudkms.cryptoKeyDecrypter", None, "violated"),
        ("roles/storage.objectViewer", None, "fine"),
    ],
)
def test_roles_of_a_project_that_use_what_others_may_are_too_wide(
    role, condition, expected, moment
):
    program = GcpProgram()
    given = {} if condition is None else {"condition": condition}
    program.add(
        "projects/iAMMember:IAMMember", "m", project="p", role=role, member="user:a@b.c", **given
    )

    assert outcomes(of_resources(program.resources(moment)), "wildcard-policy") == [expected]


OWN_ROLE = "azure-native:authorization:RoleDefinition"
RUNS = (
    "grants a role that runs commands on machines on {}: "
    "it can run commands on every machine, with the machine's identity"
)


@both
@pytest.mark.parametrize(
    ("permission", "runs"),
    [
        ({"actions": ["Microsoft.Compute/virtualMachines/runCommand/action"]}, True),
        ({"actions": ["Microsoft.Compute/virtualMachines/runCommands/write"]}, True),
        ({"actions": ["microsoft.compute/virtualMachines/extensions/*"]}, True),
        ({"actions": ["Microsoft.Compute/virtualMachineScaleSets/extensions/write"]}, True),
        ({"actions": ["Microsoft.Compute/*"]}, True),
        (
            {
                "actions": ["Microsoft.Compute/virtualMachines/*"],
                "notActions": [
                    "Microsoft.Compute/virtualMachines/runCommand*",
                    "Microsoft.Compute/virtualMachines/extensions/*",
                ],
            },
            False,
        ),
        ({"actions": ["Microsoft.Compute/virtualMachines/start/action"]}, False),
        ({"actions": ["Microsoft.Resources/deployments/*"]}, False),
    ],
)
@pytest.mark.parametrize(
    ("scope", "where"),
    [(SUBSCRIPTION, "the whole subscription"), (f"{SUBSCRIPTION}/resourceGroups/rg", "")],
)
def test_a_role_of_one_s_own_runs_no_commands_on_all_machines(
    permission, runs, scope, where, moment
):
    program = AzureProgram()
    own = program.add(OWN_ROLE, "own", roleName="own", permissions=[permission])
    program.add(
        "azure-native:authorization:RoleAssignment",
        "it",
        principalId="p",
        roleDefinitionId=own.id,
        scope=scope,
    )
    outcome, words = verdicts(of_resources(program.resources(moment)), "wildcard-policy")[-1]
    assert outcome == ("violated" if runs and where else "fine")
    assert words.startswith(RUNS.format(where) if runs and where else "no wildcard grants")


@both
@pytest.mark.parametrize(
    ("action", "gives"),
    [
        ("Microsoft.Compute/virtualMachines/loginAsAdmin/action", "logs in to machines"),
        ("Microsoft.Compute/virtualMachines/login/action", "logs in to machines"),
        ("Microsoft.KeyVault/vaults/secrets/*", "reads secrets"),
        ("Microsoft.KeyVault/vaults/secrets/readMetadata/action", ""),
    ],
)
def test_a_role_of_one_s_own_uses_no_data_of_all(action, gives, moment):
    program = AzureProgram()
    own = program.add(OWN_ROLE, "own", roleName="own", permissions=[{"dataActions": [action]}])
    program.add(
        "azure-native:authorization:RoleAssignment",
        "it",
        principalId="p",
        roleDefinitionId=own.id,
        scope=SUBSCRIPTION,
    )
    outcome, words = verdicts(of_resources(program.resources(moment)), "wildcard-policy")[-1]
    assert outcome == ("violated" if gives else "fine")
    assert words.startswith(
        f"grants a role that {gives} on the whole subscription" if gives else ""
    )


@pytest.mark.parametrize(
    "manager",
    [
        "9980e02c-c2be-4d73-94e8-173b1dc7cf3c",  # Virtual Machine Contributor
        "1c0163c0-47e6-4577-8991-ea5c82e286e4",  # Virtual Machine Administrator Login
        "fb879df8-f326-4884-b1cf-06f3ad86be52",  # Virtual Machine User Login
        "4633458b-17de-408a-b874-0445c86b69e6",  # Key Vault Secrets User
        "b86a8fe4-44ce-4948-aee5-eccb2c155cd7",  # Key Vault Secrets Officer
        "00482a5a-887f-4fb3-b363-3b7fe8e74483",  # Key Vault Administrator
    ],
)
def test_who_may_use_all_machines_or_secrets_has_too_much(manager):
    program = AzureProgram()
    role = f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{manager}"
    for name, scope in (("all", SUBSCRIPTION), ("some", f"{SUBSCRIPTION}/resourceGroups/rg")):
        program.add(
            "azure-native:authorization:RoleAssignment",
            name,
            principalId="p",
            roleDefinitionId=role,
            scope=scope,
        )
    outcome = [
        outcome for outcome, _ in verdicts(of_resources(program.resources()), "wildcard-policy")
    ]
    assert outcome == ["violated", "fine"]
