"""The rights of the deploying role: all that a stack needs, and nothing of another stack's."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli.deploy_role_scope import rights_scope
from gpuinfra.clouds.aws.declare.deploy_role import deny
from gpuinfra.clouds.aws.declare.names import bucket_name
from gpuinfra.clouds.aws.rights import deploy_rights as rights
from gpuinfra.clouds.aws.rights import policies as rights_policies
from gpuinfra.clouds.aws.rights import policy_proof as rights_proof
from gpuinfra.clouds.aws.rights.deploy_rights import RegisteredResource, Scope
from gpuinfra.clouds.aws.rights.policy_proof import AccessRequest, is_allowed
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.declaring.names import logs_name, replica_name
from gpuinfra.planning import choices, from_stack, stack_graph
from gpuinfra.stackfile import StackDocument, loads, read_stack_file

ROOT = Path(__file__).parents[4]
GOLDEN = ROOT / "tests" / "golden"
TABLE = TABLES.table("rights")
CALLED_ALONE = {"sns:Unsubscribe", "sns:SetSubscriptionAttributes"}
"""Actions that change something and take no resource at all."""

GUARDED = """\
version: 1
name: lab
owner: ml-platform
prices: {accept_outdated: true}
budget: {per_month: 900000, notify: [a@example.com], on_breach: stop}
monitoring: {dashboard: true, report: true}
deploy_role: {repository: example/lab}
where: {cloud: aws, regions: [us-east-1]}
training:
  trainer:
    instance: p4d.24xlarge
    nodes: 2
    duration: 24h
    time_to_live: 72h
    checkpoints: {bucket: data}
inference:
  chat: {gpu: "L4:1", replicas: 1..3, scale_on: {gpu_utilization: 70%}, image: a/b:1, port: 80}
buckets: {data: {}}
"""

STORED = """\
version: 1
name: lab
owner: ml-platform
prices: {accept_outdated: true}
deploy_role: {repository: example/lab}
where: {cloud: aws, regions: [us-east-1]}
buckets: {data: {access_logs: own, replicate_to: us-west-2}}
"""


@cache
def documents() -> dict[str, StackDocument]:
    shipped = {
        path.parent.name: read_stack_file(path.parent) for path in ROOT.glob("stacks/*/stack.yaml")
    }
    ours = {
        name: document
        for name, document in shipped.items()
        if "aws" in {cloud for cloud, _ in from_stack(document.stack).places}
    }
    return {**ours, "guarded": loads(GUARDED)}


@cache
def scope_of(name: str) -> Scope:
    stack = documents()[name].stack
    return rights_scope(stack, from_stack(stack))


def test_every_type_that_a_golden_file_has_is_in_the_table() -> None:
    seen = {
        row["type"]
        for file in GOLDEN.glob("*.json")
        for row in json.loads(file.read_text())
        if isinstance(row, dict) and str(row.get("type", "")).startswith("aws:")
    }

    assert seen
    assert seen - set(TABLE["types"]) == set()


@pytest.mark.parametrize("name", documents())
def test_all_that_a_stack_needs_is_allowed(name: str) -> None:
    scope = scope_of(name)

    policies = rights_policies.documents(scope)

    assert rights.unknown(scope.resources) == ()
    assert rights_proof.denied_requests(scope, policies) == []
    assert (
        max(len(rights_policies.compact_json(policy)) for policy in policies)
        <= rights_policies.POLICY
    )


def test_without_a_type_its_actions_are_missed() -> None:
    """The proof is none that always says yes."""
    scope = scope_of("guarded")
    less = Scope(
        stack=scope.stack,
        partition=scope.partition,
        regions=scope.regions,
        resources=tuple(resource for resource in scope.resources if "lambda" not in resource.type),
    )

    missing = rights_proof.denied_requests(scope, rights_policies.documents(less))

    assert {request.action.partition(":")[0] for _, request in missing} >= {"lambda"}


def test_nothing_of_another_stack_is_allowed() -> None:
    """The other stack has workloads of the same names, so that only tags tell them apart."""
    scope = scope_of("guarded")
    policies = rights_policies.documents(scope)
    other = Scope(
        stack="other",
        partition=scope.partition,
        regions=scope.regions,
        resources=tuple(
            resource._replace(
                name=resource.name.replace("lab-", "other-"),
                physical_name=resource.physical_name.replace("lab-", "other-"),
            )
            for resource in scope.resources
        ),
    )

    taken = {
        (resource.type, request.action)
        for resource in other.resources
        for request in rights_proof.requests(other, resource, "other")
        if request.own and is_allowed(policies, request)
    }

    assert taken == set()


def test_only_reading_is_allowed_on_everything() -> None:
    for policy in rights_policies.documents(scope_of("guarded")):
        for statement in policy["Statement"]:
            conditions = statement.get("Condition", {}).get("StringEquals", {})
            if statement["Resource"] == ["*"] and rights.REQUEST_TAG not in conditions:
                changing = {
                    action
                    for action in statement["Action"]
                    if not action.partition(":")[2].startswith(("Describe", "Get", "List", "View"))
                }
                assert changing <= CALLED_ALONE


def test_roles_are_passed_to_their_services_alone() -> None:
    policies = rights_policies.documents(scope_of("guarded"))
    role = "arn:aws:iam::123456789012:role/trainer-role-0a1b2c3"
    takers = {"trainer-role": "ec2", "chat-role": "ec2", "lab-stop-role": "lambda"}
    takers |= {"lab-report-role": "lambda", "lab-clock-role": "scheduler"}
    takers |= {"lab-report-clock": "scheduler"}
    passed = {"iam:PassedToService": "ec2.amazonaws.com"}

    assert is_allowed(policies, AccessRequest("iam:PassRole", role, passed, own=True))
    assert not is_allowed(
        policies,
        AccessRequest(
            "iam:PassRole", role, {"iam:PassedToService": "sagemaker.amazonaws.com"}, own=True
        ),
    )
    assert not is_allowed(
        policies, AccessRequest("iam:PassRole", f"{role[:-20]}admin", passed, own=False)
    )
    for name, taker in takers.items():
        arn = f"arn:aws:iam::123456789012:role/{name}-0a1b2c3"
        for service in ("ec2", "lambda", "scheduler", "budgets"):
            given = {"iam:PassedToService": f"{service}.amazonaws.com"}
            passing = AccessRequest("iam:PassRole", arn, given, own=True)
            assert is_allowed(policies, passing) is (service == taker)


def test_every_role_that_a_golden_file_has_is_taken_by_the_service_that_it_trusts() -> None:
    seen = {
        row["name"].removeprefix(f"{row['parent']}-"): row["inputs"]["assumeRolePolicy"]
        for file in GOLDEN.glob("*.json")
        for row in json.loads(file.read_text())
        if isinstance(row, dict) and row.get("type") == "aws:iam/role:Role" and "inputs" in row
    }
    trusted = {
        child: document["Statement"][0]["Principal"].get("Service", "").partition(".")[0]
        for child, written in seen.items()
        for document in (json.loads(written),)
    }

    assert {child: service for child, service in trusted.items() if service} == {
        child: taker for child, taker in TABLE["roles"].items() if child in trusted
    }


def test_the_role_gives_itself_no_right() -> None:
    scope = scope_of("guarded")
    policies = rights_policies.documents(scope)
    own = "arn:aws:iam::123456789012:role/lab-deploy-role-0a1b2c3"
    known = {rights.RESOURCE_TAG: "lab", rights.REQUEST_TAG: "lab"}

    assert is_allowed(policies, AccessRequest("iam:GetRole", own, known, own=True))
    for action in ("iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:UpdateAssumeRolePolicy"):
        assert not is_allowed(policies, AccessRequest(action, own, known, own=True))


def test_machines_start_from_the_stacks_own_template_alone() -> None:
    policies = rights_policies.documents(scope_of("guarded"))
    template = "arn:aws:ec2:us-east-1:123456789012:launch-template/lt-1"

    def request(owner: str) -> AccessRequest:
        return AccessRequest(
            "ec2:RunInstances",
            template,
            {rights.RESOURCE_TAG: owner, "ec2:LaunchTemplate": template},
            own=True,
        )

    assert is_allowed(policies, request("lab"))
    assert not is_allowed(policies, request("other"))


@pytest.mark.parametrize("name", documents())
def test_a_launch_may_tag_what_the_declared_template_tags(name: str) -> None:
    """Held against the declared templates: the table that makes the policies knows no launch."""
    stack = documents()[name].stack
    scope = scope_of(name)
    policies = rights_policies.documents(scope)
    templates = [
        resource
        for resource in stack_graph(stack, choices(stack)).resources.values()
        if resource.type == "aws:ec2/launchTemplate:LaunchTemplate"
    ]

    for template in templates:
        for tagged in template.inputs["tagSpecifications"]:
            place = f"{scope.regions[0]}:123456789012"
            arn = f"arn:aws:ec2:{place}:{tagged['resourceType']}/x-1"
            tags = {f"aws:RequestTag/{key}": value for key, value in tagged["tags"].items()}
            launched = {**tags, "ec2:CreateAction": "RunInstances"}
            others = {**launched, rights.REQUEST_TAG: "other"}
            later = {**launched, "ec2:CreateAction": "CreateTags"}

            assert is_allowed(policies, AccessRequest("ec2:CreateTags", arn, launched, own=True))
            assert not is_allowed(
                policies, AccessRequest("ec2:CreateTags", arn, others, own=False)
            )
            assert not is_allowed(policies, AccessRequest("ec2:CreateTags", arn, later, own=False))


def test_buckets_copies_and_logs_are_known_by_the_names_that_they_get() -> None:
    stack = loads(STORED).stack
    policies = rights_policies.documents(rights_scope(stack, from_stack(stack)))
    identity = ("organization", "project", "dev", "us-east-1", "123456789012")

    def allows(name: str) -> bool:
        arn = f"arn:aws:s3:::{bucket_name(stack.name, name, identity)}"
        return is_allowed(policies, AccessRequest("s3:PutBucketVersioning", arn, {}, own=True))

    assert all(allows(name) for name in ("data", replica_name("data"), logs_name("data")))
    assert not allows("other")


def test_a_denial_beats_any_right() -> None:
    policies = [*rights_policies.documents(scope_of("guarded")), deny()]
    name = "trainer-group-0a1b2c3"
    group = f"arn:aws:autoscaling:us-east-1:1:autoScalingGroup:x:autoScalingGroupName/{name}"
    known = {rights.RESOURCE_TAG: "lab", "aws:RequestedRegion": "us-east-1"}

    def update(size: str) -> AccessRequest:
        more = {**known, "autoscaling:MaxSize": size}
        return AccessRequest("autoscaling:UpdateAutoScalingGroup", group, more, own=True)

    assert is_allowed(policies, update("0"))
    assert not is_allowed(policies, update("2"))
    assert is_allowed(
        policies, AccessRequest("autoscaling:DeleteAutoScalingGroup", group, known, own=True)
    )


def test_a_callers_own_network_has_no_tag_of_ours() -> None:
    group = RegisteredResource(
        "aws:ec2/securityGroup:SecurityGroup", "a-security-group", "a-security-group-???????"
    )
    alone = Scope(stack="lab", partition="aws", regions=("us-east-1",), resources=(group,))

    created = [
        need for need in rights.needed_rights(alone) if need.action == "ec2:CreateSecurityGroup"
    ]

    assert {need.resource.rpartition(":")[2]: need.conditions for need in created} == {
        "security-group/*": (("StringEquals", rights.REQUEST_TAG, ("lab",)),),
    }


@pytest.mark.parametrize("kind", sorted(TABLE["types"]))
def test_rows_are_whole(kind: str) -> None:
    row: dict[str, Any] = TABLE["types"][kind]

    assert row["own"] in TABLE["kinds"], "a type without ARNs of its own names that of its service"
    assert not row["of"] or row["of"] in TABLE["types"]
    for verb in rights.VERBS:
        assert row[verb]
        assert set(row[verb]) <= set(TABLE["actions"]), "list what each action can be narrowed to"
    assert row["handlers"] or set(row["unverified"]) >= set(row["create"]), (
        "name the CloudFormation handler that lists the actions, or list them as unverified"
    )


def test_trust_is_one_branch_of_one_repository() -> None:
    (statement,) = rights_policies.trust("arn:aws:iam::1:oidc-provider/x", "example/lab", "main")[
        "Statement"
    ]

    assert statement["Condition"]["StringEquals"] == {
        "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
        "token.actions.githubusercontent.com:sub": "repo:example/lab:ref:refs/heads/main",
    }
