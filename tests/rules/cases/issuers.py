"""Issuers of tokens, by their address."""

GITLAB, TERRAFORM, BUILDKITE = "gitlab.com", "app.terraform.io", "agent.buildkite.com"

PULUMI, GOOGLE, GITHUB = (
    "api.pulumi.com/oidc",
    "accounts.google.com",
    "token.actions.githubusercontent.com",
)

MODAL, PREFECT, DEPOT = "oidc.modal.com", "api.prefect.cloud/oidc-provider", "identity.depot.dev"
COGNITO = "cognito-identity.amazonaws.com"
EKS = "oidc.eks.us-east-1.amazonaws.com/id/ABCDEF"

OTHERS = {
    "Bitbucket": "api.bitbucket.org/2.0/workspaces/me/pipelines-config/identity/oidc",
    "CircleCI": "oidc.circleci.com/org/00000000-0000-0000-0000-000000000000",
    "own GitLab": "gitlab.example.com",
}
