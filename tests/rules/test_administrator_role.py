"""Roles of machines without administrator permissions."""

import pytest

from gpuinfra.model import UNKNOWN, Safety
from tests.rules.cases.judging import group, of_resources, outcomes, plan
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program


@both
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ("arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy", "fine"),
        ("arn:aws:iam::aws:policy/PowerUserAccess", "violated"),
        ("arn:aws:iam::aws:policy/IAMFullAccess", "violated"),
    ],
)
def test_the_nodes_of_eks_have_the_role_of_their_group(policy, outcome, moment):
    program = Program()
    made = program.add("aws:iam/role:Role", "node", assumeRolePolicy="{}")
    program.add(
        "aws:iam/policyAttachment:PolicyAttachment",
        "it",
        roles=[made.out("name")],
        policyArn=policy,
    )
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "pool",
        nodeRoleArn=made.arn,
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
    )
    judged = of_resources(program.resources(moment))
    assert outcomes(judged, "administrator-role") == [outcome]


@both
@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ("AmazonEKSClusterAdminPolicy", "violated"),
        ("AmazonEKSViewPolicy", "fine"),
        (UNKNOWN, "not-knowable"),
    ],
)
@pytest.mark.parametrize("theirs", [True, False])
def test_nodes_do_not_administer_their_cluster(policy, outcome, theirs, moment):
    program = Program()
    node, person = (
        program.add("aws:iam/role:Role", name, assumeRolePolicy="{}")
        for name in ("node", "person")
    )
    arn = policy if policy is UNKNOWN else f"arn:aws:eks::aws:cluster-access-policy/{policy}"
    program.add(
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        "access",
        clusterName="c",
        principalArn=(node if theirs else person).arn,
        policyArn=arn,
    )
    program.add(
        "aws:eks/nodeGroup:NodeGroup",
        "pool",
        nodeRoleArn=node.arn,
        instanceTypes=["g6.xlarge"],
        scalingConfig={"minSize": 1, "maxSize": 2, "desiredSize": 1},
    )
    judged = of_resources(program.resources(moment))
    assert outcomes(judged, "administrator-role") == [outcome if theirs else "fine"]


@pytest.mark.parametrize(
    ("administrator", "outcome"),
    [(False, "fine"), (True, "violated"), (UNKNOWN, "not-knowable")],
)
def test_roles_of_machines_are_limited(administrator, outcome):
    assert outcomes(
        plan(group(safety=Safety(administrator=administrator))), "administrator-role"
    ) == [outcome]


def test_without_machines_administrator_role_does_not_apply():
    assert outcomes(plan(), "administrator-role") == ["not-applicable"]
