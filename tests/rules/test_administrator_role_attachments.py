"""Roles that reach a machine by other ways than one attachment, on raw resources."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_cluster import tcpx
from tests.rules.cases.judging import of_resources, outcomes
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment, Program

RULE = "administrator-role"

AWS = "arn:aws:iam::aws:policy/"
SETS = "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive"
KEEPS = "aws:iam/rolePoliciesExclusive:RolePoliciesExclusive"


def machine_with(token: str, moment: Moment = "created", **inputs: Any) -> list[str]:
    program = Program()
    add = program.add
    role = add("aws:iam/role:Role", "role", assumeRolePolicy="{}")
    profile = add("aws:iam/instanceProfile:InstanceProfile", "p", role=role.out("name"))
    policy = add("aws:iam/rolePolicy:RolePolicy", "own", role=role.out("name"), policy="{}")
    for handle, name in ((role, "trainer"), (profile, "machines"), (policy, "read")):
        program.change(handle, name=name)
    add(
        "aws:ec2/instance:Instance", "box", iamInstanceProfile="machines", instanceType="g6.xlarge"
    )
    add(token, "set", **{"roleName": "trainer", **inputs})
    return outcomes(of_resources(program.resources(moment)), RULE)


@both
@pytest.mark.parametrize(
    ("arns", "outcome"),
    [
        ([f"{AWS}AdministratorAccess"], "violated"),
        ([f"{AWS}AmazonS3ReadOnlyAccess", f"{AWS}PowerUserAccess"], "violated"),
        ([f"{AWS}AmazonS3ReadOnlyAccess"], "fine"),
        (["arn:aws:iam::123456789012:policy/theirs"], "not-knowable"),
        ([UNKNOWN], "not-knowable"),
        ([], "fine"),
    ],
)
def test_all_attachments_of_a_role_at_once_are_read(arns, outcome, moment):
    assert machine_with(SETS, moment, policyArns=arns) == [outcome]


def test_attachments_of_another_role_are_another_s():
    arns = [f"{AWS}AdministratorAccess"]
    assert machine_with(SETS, roleName="other", policyArns=arns) == ["fine"]
    assert machine_with(SETS, roleName=UNKNOWN, policyArns=arns) == ["not-knowable"]


@pytest.mark.parametrize(
    ("names", "outcome"),
    [
        (["read"], "fine"),
        ([], "fine"),
        (["read", "by-hand"], "not-knowable"),
        ([UNKNOWN], "not-knowable"),
    ],
)
def test_a_policy_that_is_kept_and_written_elsewhere_is_hidden(names, outcome):
    assert machine_with(KEEPS, policyNames=names) == [outcome]


def test_attachments_at_once_give_away_what_one_does():
    program = Program()
    arns = [f"{AWS}AmazonS3ReadOnlyAccess", f"{AWS}AdministratorAccess"]
    program.add(SETS, "set", roleName="trainer", policyArns=arns)
    judged = of_resources(program.resources())
    assert outcomes(judged, "wildcard-policy") == ["violated"]


MEMBER = "serviceAccount:gpu-nodes@shop-1.iam.gserviceaccount.com"


def cluster_with(moment: Moment, home: Any = None, /, **grant: Any) -> list[str]:
    case = tcpx()
    if home is not None:
        case.program.change(case.account, project=home)
    inputs = {"project": "shop-1", "role": "roles/owner", "member": MEMBER, **grant}
    case.program.add("projects/iAMMember:IAMMember", "given", **inputs)
    return outcomes(of_resources(case.program.resources(moment)), RULE)


@both
def test_an_address_spelled_out_is_the_account_s(moment):
    assert cluster_with(moment) == ["violated"]
    assert cluster_with(moment, role="roles/logging.logWriter") == ["fine"]
    assert cluster_with(moment, role=UNKNOWN) == ["not-knowable"]


@pytest.mark.parametrize(
    ("project", "grant", "outcome"),
    [
        ("shop-1", {"project": "host"}, "violated"),
        ("other", {}, "fine"),
        (UNKNOWN, {}, "not-knowable"),
        (None, {"project": "host"}, "not-knowable"),
        (None, {"project": UNKNOWN}, "not-knowable"),
        (None, {"member": MEMBER.replace("nodes", "other")}, "fine"),
        (None, {"member": "user:gpu-nodes@shop-1.iam.gserviceaccount.com"}, "fine"),
        (
            "example.com:shop-1",
            {"member": "serviceAccount:gpu-nodes@shop-1.example.com.iam.gserviceaccount.com"},
            "violated",
        ),
    ],
)
def test_an_address_counts_in_the_account_s_own_project(project, grant, outcome):
    assert cluster_with("preview", project, **grant) == [outcome]


def test_a_binding_names_its_accounts_so_too():
    case = tcpx()
    members = ["group:admins@example.com", MEMBER]
    case.program.add(
        "projects/iAMBinding:IAMBinding",
        "given",
        project="shop-1",
        role="roles/editor",
        members=members,
    )
    assert outcomes(of_resources(case.program.resources("preview")), RULE) == ["violated"]
