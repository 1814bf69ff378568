"""A stack that is fine is refused as soon as one of its settings is careless."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.ordinary.programs import STACKS, Ordinary, every_stack, read
from tests.ordinary.test_verdicts import by_rule, checked

EVERYONE = {"cidrBlocks": ["0.0.0.0/0"]}
ADMINISTRATOR = ["arn:aws:iam::aws:policy/AdministratorAccess"]
ANY_BRANCH = {"StringLike": {"token.actions.githubusercontent.com:sub": "repo:*"}}
AUDIENCE = {"StringEquals": {"token.actions.githubusercontent.com:aud": "sts.amazonaws.com"}}
OPEN_ON_AZURE = {
    "name": "any",
    "priority": 100,
    "direction": "Inbound",
    "access": "Allow",
    "protocol": "*",
    "sourceAddressPrefix": "Internet",
    "sourcePortRange": "*",
    "destinationAddressPrefix": "*",
    "destinationPortRange": "*",
}
SPOT_ON_GOOGLE = {
    "provisioningModel": "SPOT",
    "preemptible": True,
    "automaticRestart": False,
    "onHostMaintenance": "TERMINATE",
}

CARELESS: dict[str, list[tuple[str, Any, str]]] = {
    "aws-batch-spot": [
        ("gpus.computeResources.maxVcpus", 4000, "cap-per-hour"),
        ("checkpoints-private.restrictPublicBuckets", False, "bucket-private"),
        ("subnet.mapPublicIpOnLaunch", True, "public-address"),
    ],
    "aws-ecs-gpu": [
        ("nodes.maxSize", 30, "cap-per-hour"),
        ("template.networkInterfaces.0.associatePublicIpAddress", "true", "public-address"),
        ("node-role.managedPolicyArns", ADMINISTRATOR, "administrator-role"),
    ],
    "aws-eks-launch-template": [
        ("gpu-nodes.capacityType", "SPOT", "spot-interruptible"),
        ("gpu-nodes.remoteAccess", {"ec2SshKey": "me"}, "open-login"),
        ("node-role.managedPolicyArns", ADMINISTRATOR, "administrator-role"),
    ],
    "aws-fsx-lustre-training": [
        ("lustre.storageCapacity", 120000, "cap-per-month"),
        ("lustre-sg.ingress.0", {"protocol": "-1", **EVERYONE}, "open-login"),
    ],
    "aws-github-oidc-role": [
        ("deploy.assumeRolePolicy.fn::toJSON.Statement.0.Condition", AUDIENCE, "wildcard-policy"),
        (
            "deploy.assumeRolePolicy.fn::toJSON.Statement.0.Condition",
            ANY_BRANCH,
            "wildcard-policy",
        ),
        ("push.policy.fn::toJSON.Statement.0.Action", "*", "wildcard-policy"),
        ("deploy.managedPolicyArns", ADMINISTRATOR, "wildcard-policy"),
    ],
    "aws-gpu-dev-box-careful": [
        ("box.associatePublicIpAddress", True, "public-address"),
        ("box.metadataOptions.httpTokens", "optional", "metadata-v2"),
        ("box.rootBlockDevice.encrypted", False, "disk-encrypted"),
        ("box.instanceType", "p5.48xlarge", "cap-per-hour"),
        ("box-sg.ingress", [{"protocol": "-1", **EVERYONE}], "open-login"),
    ],
    "aws-rds-lambda-beside": [
        ("db.allocatedStorage", 16000, "cap-per-month"),
        ("db.engineVersion", "11.22", "price-unknown"),
        ("db.multiAz", True, "price-unknown"),
        ("nightly-role.managedPolicyArns", ADMINISTRATOR, "wildcard-policy"),
        ("app.metadataOptions.httpTokens", "optional", "metadata-v2"),
        ("app.rootBlockDevice.encrypted", False, "disk-encrypted"),
    ],
    "aws-vllm-asg": [
        ("https.protocol", "HTTP", "front-tls"),
        ("https.sslPolicy", "ELBSecurityPolicy-TLS-1-0-2015-04", "front-tls"),
        ("template.instanceMarketOptions", {"marketType": "spot"}, "spot-only-pool"),
    ],
    "azure-aks-gpu-pool": [
        ("t4.enableNodePublicIP", True, "public-address"),
        ("t4.maxCount", 40, "cap-per-hour"),
        ("t4.scaleSetPriority", "Spot", "spot-interruptible"),
    ],
    "azure-t4-vm-careful": [
        ("nsg.securityRules", [OPEN_ON_AZURE], "open-login"),
        ("vm.osProfile.adminPassword", "Winter-2026-gpu!", "secret-in-script"),
    ],
    "gcp-cloud-sql-beside": [
        ("db.settings.tier", "db-custom-64-245760", "cap-per-hour"),
        ("db.settings.diskSize", 8000, "cap-per-month"),
        ("db.databaseVersion", "POSTGRES_13", "price-unknown"),
        ("vm.scheduling", SPOT_ON_GOOGLE, "spot-interruptible"),
    ],
    "gcp-gke-gpu-pool": [
        ("l4-pool.autoscaling.maxNodeCount", 60, "cap-per-hour"),
        ("l4-pool.networkConfig.enablePrivateNodes", False, "public-address"),
        ("node-role.role", "roles/editor", "administrator-role"),
    ],
    "gcp-l4-mig": [
        ("scaler.autoscalingPolicy.maxReplicas", 60, "cap-per-hour"),
        ("template.networkInterfaces.0.accessConfigs", [{}], "public-address"),
    ],
    "gcp-l4-vm-careful": [
        ("iap-ssh.sourceRanges", ["0.0.0.0/0"], "open-login"),
        ("log-writer.role", "roles/owner", "administrator-role"),
        ("vm.scheduling", SPOT_ON_GOOGLE, "spot-interruptible"),
    ],
    "gcp-training-bucket": [
        ("data.publicAccessPrevention", "inherited", "bucket-private"),
        ("may-use.member", "allUsers", "bucket-private"),
    ],
}
"""For each stack: an input of a resource, a careless value, and the rule that then refuses."""


@pytest.mark.parametrize("name", CARELESS)
def test_a_careless_setting_is_refused(name: str, tmp_path: Path) -> None:
    stack = read(STACKS / f"{name}.yaml")
    silent = {
        f"{path}: {value}": rule
        for path, value, rule in CARELESS[name]
        if rule not in _refusing(_with(stack, path, value), tmp_path)
    }

    assert silent == {}


def test_every_stack_that_is_fine_has_careless_variants() -> None:
    fine = {stack.name for stack in map(read, every_stack()) if stack.verdict == "fine"}

    assert fine == set(CARELESS)


def _with(stack: Ordinary, path: str, value: Any) -> Ordinary:
    """Return the stack with one input of a resource set, by its path below the properties."""
    resources: dict[str, Any] = deepcopy(dict(stack.resources))
    name, *steps, last = path.split(".")
    node = resources[name]["properties"]
    for step in steps:
        node = node[step] if isinstance(node, Mapping) else node[int(step)]
    node[last if isinstance(node, Mapping) else int(last)] = value
    return replace(stack, resources=resources)


def _refusing(stack: Ordinary, folder: Path) -> set[str]:
    return set(by_rule([each for each in checked(stack, folder).findings if each.refuses]))
