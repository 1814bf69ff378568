"""Federated credentials of Azure: whose tokens of a shared issuer they take."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.issuers import (
    GITHUB,
)
from tests.rules.cases.judging import of_resources
from tests.rules.cases.verdicts import verdicts

AZURE = "azure-native:managedidentity:FederatedIdentityCredential"

FLEXIBLE = (
    "azuread:index/applicationFlexibleFederatedIdentityCredential:"
    "ApplicationFlexibleFederatedIdentityCredential"
)


@pytest.mark.parametrize(
    ("kind", "inputs", "outcome"),
    [
        (AZURE, {"subject": "repo:me/it:ref:refs/heads/main"}, "fine"),
        (
            AZURE,
            {"claimsMatchingExpression": {"value": "claims['sub'] matches 'repo:*'"}},
            "violated",
        ),
        (
            FLEXIBLE,
            {"claimsMatchingExpression": "claims['sub'] matches 'repo:*/it:*'"},
            "violated",
        ),
        (FLEXIBLE, {"claimsMatchingExpression": "claims['ref'] eq 'refs/heads/main'"}, "violated"),
        (FLEXIBLE, {"claimsMatchingExpression": "claims['sub'] matches 'repo:me/*'"}, "fine"),
        (FLEXIBLE, {"claimsMatchingExpression": "claims['sub'] matches 'repo:me*'"}, "violated"),
        (
            FLEXIBLE,
            {
                "claimsMatchingExpression": "claims['sub'] matches 'repo:*' "
                "and claims['repository_owner'] eq 'me'"
            },
            "fine",
        ),
        (FLEXIBLE, {"claimsMatchingExpression": UNKNOWN}, "not-knowable"),
    ],
)
def test_a_federated_credential_of_azure_names_whose_tokens_it_takes(kind, inputs, outcome):
    program = AzureProgram()
    program.add(kind, "it", issuer=f"https://{GITHUB}", **inputs)
    given = verdicts(of_resources(program.resources()), "wildcard-policy")
    assert [each for each, _ in given] == [outcome]
