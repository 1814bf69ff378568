"""Policies and roles too wide, on raw resources of strangers on each cloud."""

import json
from typing import Any

import pytest

from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.model import UNKNOWN, Grant, Resource
from tests.rules.cases import azure_cluster
from tests.rules.cases.azure_cluster import role
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.judging import of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

both = pytest.mark.parametrize("moment", ["preview", "created"])

GREAT = "b24988ac-6180-42a0-ab88-20f7382dd24c"


def document(**statement: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


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
                ("fine", "no wildcard grants more than intended"),
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


class TestGrantsOfGoogle:
    RULE = "wildcard-policy"

    @both
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("roles/editor", ("violated", "grants roles/editor on the whole project")),
            ("roles/owner", ("violated", "grants roles/owner on the whole project")),
            (
                "roles/storage.admin",
                (
                    "violated",
                    (
                        "grants roles/storage.admin, changes to the data of every bucket, on "
                        "the whole project"
                    ),
                ),
            ),
            ("roles/storage.objectViewer", ("fine", "no wildcard grants more than intended")),
            (UNKNOWN, ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_a_role_is_no_owner_s(self, given, expected, moment):
        program = GcpProgram()
        account = program.add("serviceaccount/account:Account", "a", accountId="a")
        program.add("projects/iAMMember:IAMMember", "m", role=given, member=account.out("member"))
        assert verdicts(of_resources(program.resources(moment)), self.RULE) == [expected]

    @pytest.mark.parametrize(
        ("condition", "outcome"),
        [
            (UNKNOWN, "not-knowable"),
            ({"title": "a", "expression": UNKNOWN}, "not-knowable"),
            (None, "violated"),
            *(
                ({"title": "a", "expression": expression}, "fine")
                for expression in (
                    "resource.name == 'projects/_/buckets/tokens'",
                    'resource.name.startsWith("projects/_/buckets/tokens")',
                    "resource.type == 'storage.googleapis.com/Bucket'",
                    "resource.service == 'storage.googleapis.com' && true",
                    "(resource.matchTag('1/env', 'test') || resource.hasTagKey('1/open'))",
                    "api.getAttribute('modifiedGrantsByRole', []).hasOnly(['roles/viewer'])",
                    "destination.port == 22",
                    "resource.name.extract('/buckets/{name}/') in ['a', 'b']",
                    "request.time < timestamp('2026-12-01T00:00:00Z')",
                    "request.time.getHours('Europe/Berlin') < 18",
                )
            ),
            *(
                ({"title": "a", "expression": expression}, "violated")
                for expression in (
                    "true",
                    "1 == 1",
                    "(true)",
                    "!false",
                    "true || resource.name == 'a'",
                    "'resource.name' == 'resource.name'",
                    "resource.name == resource.name",
                    "resource.name != 'x'",
                    "!resource.name.startsWith('projects/_/buckets/a')",
                    "resource.name.startsWith('projects/')",
                    "resource.name.startsWith('projects/shop-1/')",
                    "resource.name.startsWith('')",
                    "resource.name.matches('.*')",
                    "resource.name == 'a' ? true : true",
                    "request.time > timestamp('2020-01-01T00:00:00Z')",
                    "resource.type == 'a' || 2 > 1",
                )
            ),
        ],
    )
    def test_a_condition_narrows_a_service_and_no_owner(self, condition, outcome):
        for name, expected in (("roles/storage.admin", outcome), ("roles/owner", "violated")):
            program = GcpProgram()
            given = {"role": name, "member": "user:a@b.c", "condition": condition}
            program.add("projects/iAMMember:IAMMember", "m", **given)
            ((shown, _),) = verdicts(of_resources(program.resources()), self.RULE)
            assert shown == expected

    def test_a_condition_of_a_whole_policy_is_read_alike(self):
        for expression, outcome in (("1 == 1", "violated"), ("resource.name == 'a'", "fine")):
            condition = {"title": "a", "expression": expression}
            binding = {"role": "roles/storage.admin", "members": ["user:a@b.c"]}
            document = json.dumps({"bindings": [{**binding, "condition": condition}]})
            program = GcpProgram()
            program.add("projects/iAMPolicy:IAMPolicy", "p", policyData=document)
            assert outcomes(of_resources(program.resources()), self.RULE) == [outcome]

    @pytest.mark.parametrize("anyone", ["allUsers", "allAuthenticatedUsers"])
    def test_everybody_is_too_many(self, anyone):
        program = GcpProgram()
        program.add(
            "projects/iAMBinding:IAMBinding", "b", role="roles/viewer", members=["user:a", anyone]
        )
        assert verdicts(of_resources(program.resources()), self.RULE) == [
            ("violated", "grants roles/viewer to everyone")
        ]

    def test_someone_hidden_may_be_everybody(self):
        program = GcpProgram()
        program.add("projects/iAMMember:IAMMember", "m", role="roles/viewer", member=UNKNOWN)
        assert outcomes(of_resources(program.resources()), self.RULE) == ["not-knowable"]

    @pytest.mark.parametrize(
        ("bindings", "expected"),
        [
            (
                [{"role": "roles/owner", "members": ["user:a@b.c"]}],
                ("violated", "grants roles/owner on a folder of projects"),
            ),
            (
                [{"role": "roles/viewer", "members": ["allUsers"]}],
                ("violated", "grants roles/viewer to everyone"),
            ),
            ([{"role": "roles/viewer", "members": ["user:a@b.c"]}], ("fine", None)),
            (None, ("not-knowable", None)),
        ],
    )
    def test_a_whole_policy_is_read(self, bindings, expected):
        program = GcpProgram()
        text = UNKNOWN if bindings is None else json.dumps({"bindings": bindings})
        program.add("folder/iAMPolicy:IAMPolicy", "p", policyData=text)
        ((outcome, message),) = verdicts(of_resources(program.resources()), self.RULE)
        assert outcome == expected[0]
        assert expected[1] in (None, message)


OUTSIDE = {
    *("resources:ResourceGroup", "management:ManagementGroup", "subscription:Alias"),
    "consumption:Budget",
}
"""What stands in no resource group."""

DOUBT = ("not-knowable", "its permissions are unknown")


class TestGrantsOfAzure:
    RULE = "wildcard-policy"

    def judged(self, **inputs: Any) -> list[tuple[str, str]]:
        program = AzureProgram()
        program.add("azure-native:authorization:RoleAssignment", "it", principalId="p", **inputs)
        return verdicts(of_resources(program.resources()), self.RULE)

    @pytest.mark.parametrize(
        ("guid", "scope", "expected"),
        [
            (GREAT, SUBSCRIPTION, ("violated", "grants Contributor on the whole subscription")),
            (
                GREAT,
                "/providers/Microsoft.Management/managementGroups/lab",
                ("violated", "grants Contributor on a whole management group"),
            ),
            (
                GREAT,
                f"{SUBSCRIPTION}/resourceGroups/rg",
                ("fine", "no wildcard grants more than intended"),
            ),
            (
                azure_cluster.BLOB_WRITER,
                SUBSCRIPTION,
                (
                    "violated",
                    (
                        "grants Storage Blob Data Contributor on the whole subscription: it can "
                        "change and delete the data of every storage account"
                    ),
                ),
            ),
            (
                azure_cluster.BLOB_WRITER,
                f"{SUBSCRIPTION}/resourceGroups/rg",
                ("fine", "no wildcard grants more than intended"),
            ),
            (
                "11111111-1111-1111-1111-111111111111",
                SUBSCRIPTION,
                ("not-knowable", "its permissions are unknown"),
            ),
            (GREAT, UNKNOWN, ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_nobody_administers_a_subscription(self, guid, scope, expected):
        assert self.judged(roleDefinitionId=role(guid), scope=scope) == [expected]

    @pytest.mark.parametrize(
        ("kinds", "expected"),
        [
            (["resources:ResourceGroup"], ("fine", "no wildcard grants more than intended")),
            (["keyvault:Vault"], ("fine", "no wildcard grants more than intended")),
            (
                ["resources:ResourceGroup", "storage:StorageAccount"],
                ("fine", "no wildcard grants more than intended"),
            ),
            (
                ["management:ManagementGroup"],
                ("violated", "grants Contributor on a whole management group"),
            ),
            (["subscription:Alias"], ("violated", "grants Contributor on the whole subscription")),
            (["subscription:Alias", "resources:ResourceGroup"], DOUBT),
            (["subscription:Alias", "management:ManagementGroup"], DOUBT),
            (["resources:Deployment"], DOUBT),
            (["consumption:Budget"], DOUBT),
        ],
    )
    def test_a_scope_that_is_still_to_be_made_is_as_wide_as_what_it_comes_from(
        self, kinds, expected
    ):
        sources = [
            Resource(
                urn=f"urn:{kind}",
                type=f"azure-native:{kind}",
                name="s",
                inputs={"resourceGroupName": "rg"} if kind not in OUTSIDE else {},
            )
            for kind in kinds
        ]
        assert self.of_sources(sources, [source.urn for source in sources]) == expected

    def test_a_scope_from_what_is_not_seen_is_not_known(self):
        group = Resource(
            urn="urn:g", type="azure-native:resources:ResourceGroup", name="g", inputs={}
        )
        assert self.of_sources([group], ["urn:g", "urn:elsewhere"]) == DOUBT

    def of_sources(self, sources: list[Resource], urns: list[str]) -> tuple[str, str]:
        grant = Resource(
            urn="urn:grant",
            type="azure-native:authorization:RoleAssignment",
            name="it",
            inputs={"principalId": "p", "scope": UNKNOWN, "roleDefinitionId": role(GREAT)},
            relations={"scope": tuple(urns)},
        )
        (told,) = verdicts(of_resources((*sources, grant)), self.RULE)
        return told

    @both
    @pytest.mark.parametrize(
        ("actions", "expected"),
        [
            (["*"], ("violated", "allows *")),
            (
                ["Microsoft.Authorization/*"],
                ("violated", "allows Microsoft.Authorization/*"),
            ),
            (["*/write"], ("violated", "allows */write")),
            (["*/action"], ("violated", "allows */action")),
            (
                ["Microsoft.Authorization/roleAssignments/write"],
                ("violated", "allows Microsoft.Authorization/roleAssignments/write"),
            ),
            (
                ["Microsoft.Authorization/roleDefinitions/*"],
                ("violated", "allows Microsoft.Authorization/roleDefinitions/*"),
            ),
            (["*/read"], ("fine", "no wildcard grants more than intended")),
            (["[a-z]*/write"], ("fine", "no wildcard grants more than intended")),
            (["Microsoft.Compute/*"], ("fine", "no wildcard grants more than intended")),
            (["Microsoft.Compute/*/read"], ("fine", "no wildcard grants more than intended")),
            ([UNKNOWN], ("not-knowable", "its permissions are unknown")),
        ],
    )
    def test_a_role_of_one_s_own_names_its_actions(self, actions, expected, moment):
        program = AzureProgram()
        program.add(
            "azure-native:authorization:RoleDefinition",
            "own",
            roleName="own",
            permissions=[{"actions": actions}],
        )
        assert verdicts(of_resources(program.resources(moment)), self.RULE) == [expected]
