"""The deploy role of a stack, as its components register it."""

import json

import pulumi
import pytest

from gpuinfra.clouds.aws.declare import deploy_role
from gpuinfra.clouds.aws.declare.deploy_role import deny
from tests.components.conftest import Registers
from tests.components.guard_stacks import DEPLOY


def test_a_deny_leaves_the_way_down_open() -> None:
    denied, larger = deny()["Statement"]

    assert "autoscaling:DeleteAutoScalingGroup" not in denied["Action"]
    assert larger["Condition"] == {"NumericGreaterThan": {"autoscaling:MaxSize": "0"}}


def test_the_deploy_role_trusts_one_branch_and_holds_its_rights(registers: Registers) -> None:
    seen = registers(DEPLOY)

    (trusted,) = json.loads(seen.of("lab-deploy-role").inputs["assumeRolePolicy"])["Statement"]

    held = [resource for resource in seen.resources if resource.name.endswith("-held")]
    assert trusted["Condition"]["StringEquals"]["token.actions.githubusercontent.com:sub"] == (
        "repo:example/lab:ref:refs/heads/main"
    )
    assert {attachment.inputs["policyArn"] for attachment in held} == {
        resource.outputs["arn"]
        for resource in seen.resources
        if resource.type == "aws:iam/policy:Policy"
    } - {seen.of("lab-deploy-blocked").outputs["arn"]}


def test_an_identity_provider_that_is_there_is_taken(registers: Registers) -> None:
    theirs = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"

    seen = registers(DEPLOY.replace("branch: main", f"provider: '{theirs}'"))

    assert not [resource for resource in seen.resources if "openIdConnect" in resource.type]
    assert theirs in seen.of("lab-deploy-role").inputs["assumeRolePolicy"]


def test_more_rights_than_a_role_holds_are_refused(
    registers: Registers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploy_role, "MAX_ROLE_POLICIES", 1)

    with pytest.raises(pulumi.RunError, match="the permissions of the deploy role need"):
        registers(DEPLOY)
