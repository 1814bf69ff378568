"""Policies too wide, on raw resources of strangers on AWS."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Grant
from tests.rules.cases.grants import document
from tests.rules.cases.judging import of_resources, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

EVERYWHERE = {"Resource": "*"}
NARROW = document(Action="s3:GetObject", Resource="arn:aws:s3:::tokens/*")


class TestGrantsOfAws:
    RULE = "wildcard-policy"

    def judged(self, token: str, **inputs: Any) -> list[tuple[str, str]]:
        program = Program()
        program.add(token, "it", **inputs)
        return verdicts(of_resources(program.resources()), self.RULE)

    @pytest.mark.parametrize(
        "token",
        [
            "aws:iam/policy:Policy",
            "aws:iam/rolePolicy:RolePolicy",
            "aws:iam/userPolicy:UserPolicy",
            "aws:iam/groupPolicy:GroupPolicy",
        ],
    )
    @pytest.mark.parametrize(
        ("policy", "expected"),
        [
            (
                document(Action="*", Resource="*"),
                ("violated", "allows all actions on all resources"),
            ),
            (
                document(Action=["s3:*", "ec2:Describe*"], Resource=["*"]),
                ("violated", "allows s3:* on all resources"),
            ),
            (
                document(NotAction="iam:*", Resource="*"),
                ("violated", "allows all actions except iam:* on all resources"),
            ),
            (
                document(Action="ec2:Describe*", Resource="*"),
                ("fine", "no wildcard grants broad permissions"),
            ),
            (document(Action="s3:*", Resource="arn:aws:s3:::b/*"), ("fine", None)),
            (
                document(Action="*", Resource="*", Condition={"Bool": {"aws:ViaAWSService": "1"}}),
                ("fine", None),
            ),
            (
                json.dumps({"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}),
                ("fine", None),
            ),
            (NARROW, ("fine", None)),
            (UNKNOWN, ("not-knowable", "its permissions are unknown")),
            ("no json", ("not-knowable", None)),
        ],
    )
    def test_a_policy_names_what_it_allows(self, token, policy, expected):
        ((outcome, message),) = self.judged(token, policy=policy)
        assert outcome == expected[0]
        assert expected[1] in (None, message)

    @pytest.mark.parametrize(
        ("passing", "running", "outcome"),
        [
            (EVERYWHERE, "ec2:RunInstances", "violated"),
            (EVERYWHERE, "Lambda:Create*", "violated"),
            ({"Resource": "arn:aws:iam::1:role/*"}, "sagemaker:CreateTrainingJob", "violated"),
            (EVERYWHERE, "ec2:Describe*", "fine"),
            ({"Resource": "arn:aws:iam::1:role/node"}, "ec2:RunInstances", "fine"),
            (
                {
                    **EVERYWHERE,
                    "Condition": {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
                },
                "ec2:RunInstances",
                "fine",
            ),
        ],
    )
    def test_a_policy_that_passes_every_role_runs_nothing_with_it(self, passing, running, outcome):
        statements = [
            {"Effect": "Allow", "Action": "iam:PassRole", **passing},
            {"Effect": "Allow", "Action": running, "Resource": "*"},
        ]
        policy = json.dumps({"Statement": statements})
        ((shown, _),) = self.judged("aws:iam/policy:Policy", policy=policy)
        assert shown == outcome

    @pytest.mark.parametrize(
        ("denial", "outcome"),
        [
            ({"Action": "iam:PassRole", "Resource": "*"}, "fine"),
            ({"Action": "ec2:CreateFleet", "Resource": "*"}, "fine"),
            ({"Action": "ec2:CreateFleet", "Resource": "arn:aws:ec2:*:1:fleet/a"}, "violated"),
            ({"Action": "ec2:RunInstances", "Resource": "*"}, "violated"),
            (
                {
                    "Action": "iam:PassRole",
                    "Resource": "*",
                    "Condition": {"Bool": {"aws:MultiFactorAuthPresent": "false"}},
                },
                "violated",
            ),
        ],
    )
    def test_a_denial_of_either_takes_the_right_away(self, denial, outcome):
        statements = [
            {"Effect": "Allow", "Action": ["iam:PassRole", "ec2:CreateFleet"], "Resource": "*"},
            {"Effect": "Deny", **denial},
        ]
        policy = json.dumps({"Statement": statements})
        ((shown, _),) = self.judged("aws:iam/policy:Policy", policy=policy)
        assert shown == outcome

    @pytest.mark.parametrize(
        ("trust", "outcome"),
        [
            (document(Action="sts:AssumeRole", Principal="*"), "violated"),
            (document(Action="sts:AssumeRole", Principal={"AWS": "*"}), "violated"),
            (document(Action="sts:AssumeRole", Principal={"AWS": ["1", "*"]}), "violated"),
            (document(Action="sts:AssumeRole", Principal={"Service": "ec2.x"}), "fine"),
            (
                document(
                    Action="sts:AssumeRole",
                    Principal={"AWS": "*"},
                    Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}},
                ),
                "fine",
            ),
            (UNKNOWN, "not-knowable"),
        ],
    )
    def test_a_role_trusts_somebody(self, trust, outcome):
        ((shown, _),) = self.judged("aws:iam/role:Role", assumeRolePolicy=trust)
        assert shown == outcome
        for token in ("aws:s3/bucketPolicy:BucketPolicy", "aws:sqs/queuePolicy:QueuePolicy"):
            ((shown, _),) = self.judged(token, policy=trust, bucket="b")
            assert shown == outcome

    @pytest.mark.parametrize(
        ("arn", "outcome"),
        [
            ("arn:aws:iam::aws:policy/AdministratorAccess", "violated"),
            ("arn:aws:iam::aws:policy/PowerUserAccess", "violated"),
            ("arn:aws:iam::aws:policy/AmazonS3FullAccess", "violated"),
            ("arn:aws:iam::aws:policy/SecretsManagerReadWrite", "violated"),
            ("arn:aws:iam::aws:policy/CloudWatchFullAccessV2", "violated"),
            ("arn:aws:iam::aws:policy/job-function/SystemAdministrator", "violated"),
            ("arn:aws-us-gov:iam::aws:policy/job-function/DatabaseAdministrator", "violated"),
            ("arn:aws:iam::aws:policy/job-function/ViewOnlyAccess", "fine"),
            ("arn:aws:iam::aws:policy/service-role/AWSGlueServiceRole", "fine"),
            ("arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore", "fine"),
            ("arn:aws:iam::aws:policy/AmazonEKSClusterPolicy", "fine"),
            ("arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess", "fine"),
            ("arn:aws:iam::123456789012:policy/AmazonS3FullAccess", "fine"),
            (UNKNOWN, "fine"),
        ],
    )
    def test_a_policy_of_aws_is_known_by_its_name(self, arn, outcome):
        for token in (
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            "aws:iam/userPolicyAttachment:UserPolicyAttachment",
            "aws:iam/policyAttachment:PolicyAttachment",
        ):
            ((shown, _),) = self.judged(token, policyArn=arn, role="r")
            assert shown == outcome
        ((shown, _),) = self.judged(
            "aws:iam/role:Role", assumeRolePolicy="{}", managedPolicyArns=[arn]
        )
        assert shown == outcome

    def test_the_policies_inside_a_role_count(self):
        inline = [{"name": "x", "policy": document(Action="iam:*", Resource="*")}]
        assert self.judged("aws:iam/role:Role", assumeRolePolicy="{}", inlinePolicies=inline) == [
            ("violated", "allows iam:* on all resources")
        ]

    def test_nobody_gets_anything(self):
        assert verdicts(plan(), self.RULE) == [("not-applicable", "no policies or roles")]
        open_grant = Grant(
            name="x", subject="urn", cloud="aws", faults=rule_faults(self.RULE, ("a", "b"))
        )
        assert verdicts(plan(grants=(open_grant,)), self.RULE) == [("violated", "a; b")]
