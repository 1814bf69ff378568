"""The lives of what allows and names: roles, policies, keys, parameters."""

from tests.sandbox.aws.cases import ALLOW, ALLOW_MORE, ARN, NEW_TAGS, TAGS, Case

TRUST = (
    '{"Statement": [{"Principal": {"Service": "ec2.amazonaws.com"}, "Effect": "Allow",'
    ' "Action": "sts:AssumeRole"}], "Version": "2012-10-17"}'
)
TRUST_LAMBDA = TRUST.replace("ec2.", "lambda.")
SSM = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"


IDENTITY = [
    Case(
        "aws:iam/role:Role",
        "nodes",
        lambda stage: {
            "name": "nodes",
            "path": "/gpu/",
            "description": "what a node may do",
            "assumeRolePolicy": TRUST,
            "maxSessionDuration": 7200,
            "inlinePolicies": [{"name": "read", "policy": ALLOW}],
            "managedPolicyArns": [SSM],
            "tags": TAGS,
        },
        lambda client, it, outputs: client("iam").update_assume_role_policy(
            RoleName=it, PolicyDocument=TRUST_LAMBDA
        ),
        "assumeRolePolicy",
        lambda stage: {
            "description": "less",
            "managedPolicyArns": [],
            "inlinePolicies": [{"name": "list", "policy": ALLOW_MORE}],
            "tags": NEW_TAGS,
        },
    ),
    Case(
        "aws:iam/rolePolicy:RolePolicy",
        "stage:bucket",
        lambda stage: {"name": "bucket", "role": stage.role, "policy": ALLOW},
        lambda client, it, outputs: client("iam").put_role_policy(
            RoleName=outputs["role"], PolicyName="bucket", PolicyDocument=ALLOW_MORE
        ),
        "policy",
        lambda stage: {"policy": ALLOW_MORE},
    ),
    Case(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "stage-[0-9a-f]{26}",
        lambda stage: {"role": stage.role, "policyArn": SSM},
        lambda client, it, outputs: client("iam").detach_role_policy(
            RoleName=outputs["role"], PolicyArn=SSM
        ),
    ),
    Case(
        "aws:iam/policy:Policy",
        f"{ARN}iam::\\d+:policy/gpu/read",
        lambda stage: {
            "name": "read",
            "path": "/gpu/",
            "description": "reads",
            "policy": ALLOW,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("iam").create_policy_version(
            PolicyArn=it, PolicyDocument=ALLOW_MORE, SetAsDefault=True
        ),
        "policy",
        lambda stage: {"policy": ALLOW_MORE, "tags": NEW_TAGS},
        frozenset({"description"}),
    ),
    Case(
        "aws:iam/instanceProfile:InstanceProfile",
        "machines",
        lambda stage: {"name": "machines", "role": stage.role, "tags": TAGS},
        lambda client, it, outputs: client("iam").remove_role_from_instance_profile(
            InstanceProfileName=it, RoleName=outputs["role"]
        ),
        "role",
        lambda stage: {"tags": NEW_TAGS},
    ),
    Case(
        "aws:kms/key:Key",
        "[0-9a-f-]{36}",
        lambda stage: {
            "description": "disks",
            "enableKeyRotation": True,
            "deletionWindowInDays": 7,
            "tags": TAGS,
        },
        lambda client, it, outputs: client("kms").disable_key_rotation(KeyId=it),
        "enableKeyRotation",
        lambda stage: {"description": "other", "enableKeyRotation": False, "tags": NEW_TAGS},
        frozenset({"deletionWindowInDays"}),
    ),
    Case(
        "aws:kms/alias:Alias",
        "alias/disks",
        lambda stage: {"name": "alias/disks", "targetKeyId": stage.key},
        lambda client, it, outputs: client("kms").delete_alias(AliasName=it),
    ),
    Case(
        "aws:ssm/parameter:Parameter",
        "/demo/image",
        lambda stage: {
            "name": "/demo/image",
            "type": "String",
            "value": "ami-1",
            "description": "pinned",
            "tags": TAGS,
        },
        lambda client, it, outputs: client("ssm").put_parameter(
            Name=it, Value="ami-2", Type="String", Overwrite=True
        ),
        "value",
        lambda stage: {"value": "ami-3", "tags": NEW_TAGS},
    ),
]
