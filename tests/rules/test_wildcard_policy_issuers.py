"""Trust in issuers of tokens that many tenants share: whose tokens, on each cloud."""

import json

import pytest

from gpuinfra.clouds.observing.issuers import TABLE, issuer_of
from gpuinfra.model import UNKNOWN
from tests.rules.cases.issuers import (
    BUILDKITE,
    COGNITO,
    DEPOT,
    EKS,
    GITHUB,
    GITLAB,
    GOOGLE,
    MODAL,
    OTHERS,
    PREFECT,
    PULUMI,
    TERRAFORM,
)
from tests.rules.cases.judging import of_resources
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import verdicts

ARN = "arn:aws:iam::123456789012:oidc-provider/"


def is_of(issuer, *tests, provider=None):
    """The verdict on a role of AWS that trusts an issuer under tests of its claims."""
    condition = {}
    for operator, claim, values in tests:
        condition.setdefault(operator, {})[f"{issuer}:{claim}"] = values
    named = provider or (issuer if issuer in {GOOGLE, COGNITO} else f"{ARN}{issuer}")
    statement = {
        "Effect": "Allow",
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": named},
        **({"Condition": condition} if condition else {}),
    }
    program = Program()
    program.add("aws:iam/role:Role", "it", assumeRolePolicy={"Statement": [statement]})
    ((outcome, words),) = verdicts(of_resources(program.resources()), "wildcard-policy")
    return outcome if outcome == "fine" else words or outcome


AUD = ("StringEquals", "aud", "sts.amazonaws.com")


@pytest.mark.parametrize(
    ("issuer", "tests", "who"),
    [
        (GITLAB, [], "GitLab project"),
        (GITLAB, [("StringEquals", "aud", "https://gitlab.com")], "GitLab project"),
        (GITLAB, [("StringLike", "sub", "project_path:*")], "GitLab project"),
        (
            GITLAB,
            [("StringLike", "sub", "project_path:*/it:ref_type:branch:ref:main")],
            "GitLab project",
        ),
        (
            GITLAB,
            [("ForAnyValue:StringLike", "sub", ["project_path:me/*", "*"])],
            "GitLab project",
        ),
        (GITLAB, [("StringNotLike", "sub", "project_path:them/*")], "GitLab project"),
        (GITLAB, [("Null", "sub", "false")], "GitLab project"),
        (GITLAB, [("StringLike", "sub", "project_path:me/*:ref_type:branch:ref:main")], ""),
        (GITLAB, [("StringEquals", "sub", "project_path:me/it:ref_type:branch:ref:main")], ""),
        (GITLAB, [("StringEquals", "namespace_id", "17")], ""),
        (GITLAB, [("StringEquals", "ref", "main")], "GitLab project"),
        (TERRAFORM, [AUD], "Terraform Cloud workspace"),
        (
            TERRAFORM,
            [("StringLike", "sub", "organization:*:project:*:workspace:*:run_phase:*")],
            "Terraform Cloud workspace",
        ),
        (TERRAFORM, [("StringLike", "sub", "organization:me:*")], ""),
        (BUILDKITE, [AUD], "Buildkite pipeline"),
        (
            BUILDKITE,
            [("StringLike", "sub", "organization:*:pipeline:deploy:*")],
            "Buildkite pipeline",
        ),
        (BUILDKITE, [("StringLike", "sub", "organization:me:pipeline:deploy:*")], ""),
        (PULUMI, [], "Pulumi Cloud organization"),
        (PULUMI, [("StringEquals", "aud", "me")], ""),
        (PULUMI, [("StringEquals", "aud", "aws:me")], ""),
        (PULUMI, [("StringLike", "aud", "aws:*")], "Pulumi Cloud organization"),
        (PULUMI, [("StringLikeIfExists", "aud", "aws:me")], ""),
        (PULUMI, [("StringLike", "sub", "pulumi:*")], "Pulumi Cloud organization"),
        (
            PULUMI,
            [("StringLike", "sub", "pulumi:environments:org:*:env:prod")],
            "Pulumi Cloud organization",
        ),
        (PULUMI, [("StringLike", "sub", "pulumi:deploy:org:me:*")], ""),
        (GOOGLE, [], "Google account"),
        (GOOGLE, [("StringEquals", "oaud", "it")], "Google account"),
        (GOOGLE, [("StringLike", "sub", "*")], "Google account"),
        (GOOGLE, [("StringEquals", "sub", "117")], ""),
        (GOOGLE, [("StringEquals", "aud", "1-a.apps.googleusercontent.com")], ""),
        (COGNITO, [("ForAnyValue:StringLike", "amr", "authenticated")], "Cognito identity pool"),
        (COGNITO, [("StringEquals", "aud", "us-east-1:pool")], ""),
        (EKS, [AUD], "service account of the cluster"),
        (
            EKS,
            [("StringLike", "sub", "system:serviceaccount:*:*")],
            "service account of the cluster",
        ),
        (EKS, [("StringLike", "sub", "system:serviceaccount:*:loader")], ""),
        (EKS, [("StringEquals", "sub", "system:serviceaccount:data:loader")], ""),
        (
            GITHUB,
            [("StringLike", "sub", "repo:*"), ("StringEquals", "sub", "repo:me/it:pull_request")],
            "",
        ),
        (GITHUB, [("StringEquals", "repository_owner_id", "17")], ""),
        (GITHUB, [("StringLike", "job_workflow_ref", "me/it/.github/workflows/*")], ""),
        (GITHUB, [("StringLike", "job_workflow_ref", "me*")], "GitHub repository"),
        (GITHUB, [("StringLike", "job_workflow_ref", "*/deploy.yml@*")], "GitHub repository"),
        (GITHUB, [("StringEqualsIfExists", "repository_owner", "me")], "GitHub repository"),
        (GITHUB, [("StringEqualsIfExists", "repository", "me/it")], ""),
        (GITHUB, [("StringLikeIfExists", "sub", "repo:me/*")], ""),
        (GITHUB, [("ForAllValues:StringLike", "sub", "repo:me/*")], ""),
        (
            GITHUB,
            [("ForAllValues:StringEquals", "repository_owner_id", "17")],
            "GitHub repository",
        ),
        (
            GITHUB,
            [
                ("StringEqualsIfExists", "enterprise_id", "17"),
                ("Null", "enterprise_id", "false"),
            ],
            "",
        ),
        (GITLAB, [("StringEqualsIfExists", "namespace_id", "17")], "GitLab project"),
        (
            TERRAFORM,
            [("StringEqualsIfExists", "terraform_organization_name", "me")],
            "Terraform Cloud workspace",
        ),
        (
            BUILDKITE,
            [("ForAllValues:StringEquals", "organization_slug", "me")],
            "Buildkite pipeline",
        ),
        (GITHUB, [("StringLike", "sub", "repo:me*")], "GitHub repository"),
        (GITHUB, [("StringLike", "sub", "repo:me?it:*")], "GitHub repository"),
        (GITHUB, [("StringLike", "sub", ["repo:me/*", "repo:us*"])], "GitHub repository"),
        (GITHUB, [("StringLike", "sub", "repo:me/it*")], ""),
        (GITHUB, [("StringLike", "sub", "repo*/it:*")], "GitHub repository"),
        (GITHUB, [("StringLike", "sub", "repository_owner:me*")], "GitHub repository"),
        (GITHUB, [("StringLike", "sub", "repository_owner:me:*")], ""),
        (GITHUB, [("StringLike", "repository", "me*")], "GitHub repository"),
        (GITHUB, [("StringLike", "repository", "me/*")], ""),
        (GITHUB, [("StringLike", "repository_id", "17*")], "GitHub repository"),
        (GITLAB, [("StringLike", "sub", "project_path:me*")], "GitLab project"),
        (GITLAB, [("StringLike", "namespace_path", "me*")], "GitLab project"),
        (GITLAB, [("StringLike", "project_path", "me/*")], ""),
        (TERRAFORM, [("StringLike", "sub", "organization:me*")], "Terraform Cloud workspace"),
        (BUILDKITE, [("StringLike", "organization_slug", "m*")], "Buildkite pipeline"),
        (PULUMI, [("StringLike", "sub", "pulumi:deploy:org:me*")], "Pulumi Cloud organization"),
        (GOOGLE, [("StringLike", "sub", "117*")], "Google account"),
        (MODAL, [("StringEquals", "aud", MODAL)], "Modal workspace"),
        (MODAL, [], "Modal workspace"),
        (MODAL, [("StringLike", "sub", "modal:workspace_id:*")], "Modal workspace"),
        (MODAL, [("StringLike", "sub", "modal:workspace_id:ac-1:environment_name:it:*")], ""),
        ("oidc.vercel.com", [AUD, ("StringLike", "sub", "owner:*")], "Vercel team"),
        ("oidc.vercel.com", [("StringLike", "sub", "owner:me:project:it:*")], ""),
        ("oidc.vercel.com/me", [AUD], ""),
        ("oidc.deno.com", [AUD], "Deno Deploy organization"),
        ("oidc.deno.com", [("StringLike", "sub", "deployment:me/it/*")], ""),
        (PREFECT, [("StringEquals", "aud", "prefect-cloud")], "Prefect Cloud account"),
        (PREFECT, [("StringEquals", "sub", "prefect:account:1")], ""),
        (DEPOT, [AUD], "Depot organization"),
        (DEPOT, [("StringLike", "sub", f"spiffe://{DEPOT}/org/*/ci/*")], "Depot organization"),
        (DEPOT, [("StringLike", "sub", f"spiffe://{DEPOT}/org/me/ci/github/me/it/*")], ""),
        ("oidc.codefresh.io", [("StringLike", "sub", "account:*")], "Codefresh account"),
        ("oidc.codefresh.io", [("StringLike", "sub", "account:me:pipeline:it:*")], ""),
        ("scalr.io", [AUD], "Scalr account"),
        ("scalr.io", [("StringLike", "sub", "account:me:environment:it:workspace:*")], ""),
        ("federation.namespaceapis.com", [AUD], "Namespace workspace"),
        ("federation.namespaceapis.com", [("StringLike", "sub", "me/*")], ""),
        ("app.devin.ai", [AUD], "Devin organization"),
        ("app.devin.ai", [("StringEquals", "sub", "org_id:me")], ""),
        ("login.app.env0.com/", [("StringEquals", "aud", "it")], "env0 account"),
        ("login.app.env0.com/", [("StringEquals", "sub", "auth0|1")], ""),
        *((issuer, [AUD], "") for issuer in OTHERS.values()),
    ],
)
def test_a_role_of_a_shared_issuer_names_whose_tokens_it_takes(issuer, tests, who):
    expected = f"lets every {who} assume the role" if who else "fine"
    assert is_of(issuer, *tests) == expected


def test_an_issuer_that_is_not_known_yet_is_known_by_the_claims_that_are_tested():
    assert is_of(GITLAB, ("StringEquals", "aud", "a"), provider=UNKNOWN) == (
        "lets every GitLab project assume the role"
    )
    assert is_of(GITLAB, ("StringLike", "sub", "project_path:me/*"), provider=UNKNOWN) == "fine"
    assert "known" in is_of(GITLAB, ("StringEquals", "sub", UNKNOWN))


def test_each_row_has_its_issuer_its_claims_and_a_source():
    table = json.loads(TABLE.read_text("utf-8"))
    assert table["as_of"]
    for row in (dict(zip(table["columns"], cells, strict=True)) for cells in table["rows"]):
        assert row["source"].startswith("https://")
        assert row["subjects"]
        assert issuer_of(f"https://{row['issuer'].replace('*', 'x')}/") is not None
    assert not any(map(issuer_of, OTHERS.values()))
