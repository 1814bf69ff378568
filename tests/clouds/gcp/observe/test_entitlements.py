"""A role that one may take at will is granted, whatever is left out of the price."""

import pytest

from gpuinfra.clouds.gcp.observe import observe
from gpuinfra.model import UNKNOWN, faults_of
from tests.rules.cases.gcp_program import GcpProgram

ENTITLEMENT = "gcp:privilegedaccessmanager/entitlement:entitlement"
APPROVED = {"manualApprovals": {"steps": [{"approvers": {"principals": ["user:a@shop.example"]}}]}}


def granted(role, level="Project", **inputs):
    program = GcpProgram()
    access = {
        "resourceType": f"cloudresourcemanager.googleapis.com/{level}",
        "roleBindings": [{"role": role}],
    }
    program.add(
        ENTITLEMENT,
        "e",
        eligibleUsers=[{"principals": ["user:a@shop.example"]}],
        **{"privilegedAccess": {"gcpIamAccess": access}, **inputs},
    )
    rows = observe(program.resources())
    assert not rows.not_judged
    (grant,) = rows.grants
    return faults_of(grant.faults, "wildcard-policy")


@pytest.mark.parametrize(
    ("role", "level", "message"),
    [
        ("roles/owner", "Project", "grants roles/owner on the whole project"),
        ("roles/editor", "Folder", "grants roles/editor on a folder of projects"),
        ("roles/owner", "Organization", "grants roles/owner on the whole organization"),
    ],
)
def test_a_powerful_role_without_approval_is_a_grant(role, level, message):
    assert granted(role, level) == (message,)


def test_a_small_role_or_one_that_someone_approves_is_none():
    assert granted("roles/storage.objectViewer") == ()
    assert granted("roles/owner", approvalWorkflow=APPROVED) == ()


@pytest.mark.parametrize(
    "hidden",
    [
        {"approvalWorkflow": UNKNOWN},
        {"privilegedAccess": UNKNOWN},
        {"privilegedAccess": {"gcpIamAccess": {"roleBindings": UNKNOWN}}},
    ],
)
def test_what_is_not_known_yet_may_be_a_great_role(hidden):
    assert granted("roles/owner", **hidden) is UNKNOWN
