"""Pools of Google Cloud: whose tokens of a shared issuer they take."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.gcp_program import GcpProgram
from tests.rules.cases.issuers import (
    DEPOT,
    EKS,
    GITHUB,
    GITLAB,
    MODAL,
    TERRAFORM,
)
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts

POOL = "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider"
MAPPING = {"google.subject": "assertion.sub", "attribute.owner": "assertion.repository_owner"}


def lets_into_pool(issuer, condition=None, **inputs):
    program = GcpProgram()
    given = {} if condition is None else {"attributeCondition": condition}
    program.add(
        POOL.removeprefix("gcp:"),
        "it",
        oidc={"issuerUri": f"https://{issuer}"},
        attributeMapping=MAPPING,
        **given,
        **inputs,
    )
    ((outcome, words),) = verdicts(of_resources(program.resources()), "wildcard-policy")
    return outcome, words


@pytest.mark.parametrize(
    ("issuer", "condition", "outcome"),
    [
        (GITHUB, None, "violated"),
        (GITHUB, "true", "violated"),
        (GITHUB, "assertion.ref == 'refs/heads/main'", "violated"),
        (GITHUB, "assertion.repository_owner != 'them'", "violated"),
        (GITHUB, "assertion.repository_owner == 'me' || true", "violated"),
        (GITHUB, "assertion.sub.startsWith('repo:')", "violated"),
        (GITHUB, "attribute.actor == 'me'", "violated"),
        (GITHUB, "assertion.repository_owner == 'me'", "fine"),
        (GITHUB, 'assertion["repository_owner_id"]=="17"', "fine"),
        (GITHUB, "'me' == assertion.repository_owner", "fine"),
        (GITHUB, "'me'==assertion['repository_owner']", "fine"),
        (GITHUB, "'me' == assertion.actor", "violated"),
        (GITHUB, "'me' != assertion.repository_owner", "violated"),
        (GITHUB, "'me' == 'me'", "violated"),
        (GITHUB, "attribute.owner == 'me' && assertion.ref == 'refs/heads/main'", "fine"),
        (GITHUB, "attribute['owner'] in ['me', \"us\"]", "fine"),
        (GITHUB, "assertion.repository in []", "violated"),
        (GITHUB, "google.subject.startsWith('repo:me/')", "fine"),
        (GITHUB, "(assertion.repository == 'me/a' || assertion.repository == 'me/b')", "fine"),
        (GITHUB, "assertion.repository.startsWith('me')", "violated"),
        (GITHUB, "assertion.repository.matches('^me/.+$')", "fine"),
        (GITHUB, "assertion.repository.matches('^me.+$')", "violated"),
        (GITHUB, "assertion.repository.matches('^me/?x')", "not-knowable"),
        (GITHUB, "assertion.repository.matches('^me/|you/')", "not-knowable"),
        (GITHUB, "assertion.repository.matches('me/.*')", "not-knowable"),
        (GITHUB, "assertion.actor.matches('^me/.+$')", "violated"),
        (GITHUB, "assertion.sub.extract('repo:{owner}/') == 'me'", "not-knowable"),
        (GITHUB, "assertion.repository.split('/')[0] == 'me'", "not-knowable"),
        (GITHUB, "!(assertion.repository_owner != 'me')", "not-knowable"),
        (GITHUB, "assertion.actor.lowerAscii() == 'me'", "violated"),
        (GITHUB, "has(assertion.repository_owner)", "violated"),
        (GITHUB, "assertion.repository_owner.size() > 0 || true", "violated"),
        (GITHUB, "assertion.repository_owner == 'me' // only ours", "fine"),
        (GITHUB, "true // assertion.repository_owner == me", "violated"),
        (GITHUB, "(assertion.repository_owner == 'me') && (true)", "fine"),
        (GITHUB, "assertion.repository.startsWith('me/')", "fine"),
        (GITHUB, "assertion.sub.startsWith('repo:me')", "violated"),
        (GITHUB, "attribute.owner.startsWith('me')", "violated"),
        (GITLAB, "assertion.namespace_path.startsWith('me')", "violated"),
        (GITLAB, "assertion.namespace_path.startsWith('me/')", "fine"),
        (TERRAFORM, "assertion.terraform_organization_name.startsWith('me')", "violated"),
        (GITHUB, UNKNOWN, "not-knowable"),
        (f"{GITLAB}/", "assertion.namespace_path == 'me'", "fine"),
        (GITLAB, "assertion.aud == 'me'", "violated"),
        (TERRAFORM, "assertion.sub.startsWith('organization:me:')", "fine"),
        (TERRAFORM, "assertion.sub.startsWith('organization:')", "violated"),
        (MODAL, None, "violated"),
        (MODAL, "assertion.workspace_id == 'ac-1'", "fine"),
        (DEPOT, "assertion.org_id == 'me'", "fine"),
        (EKS, None, "fine"),
        ("issuer.example.com", None, "fine"),
    ],
)
def test_a_pool_of_google_cloud_names_whose_tokens_it_takes(issuer, condition, outcome):
    assert lets_into_pool(issuer, condition)[0] == outcome


def test_a_pool_s_provider_that_is_off_admits_no_one():
    assert lets_into_pool(GITHUB, disabled=True)[0] == "fine"
    assert lets_into_pool(GITLAB) == ("violated", "lets every GitLab project into its pool")
