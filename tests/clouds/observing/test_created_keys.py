"""Keys that a stack makes end within a year, or are refused."""

import json
from datetime import timedelta

import pytest

from gpuinfra.clouds.gcp.observe import KEYS
from gpuinfra.clouds.observing.created_keys import TABLE
from gpuinfra.clouds.tables import rows_of
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import TODAY, of_resources, verdict

PASSWORD = "azuread:index/applicationPassword:ApplicationPassword"
CERTIFICATE = "azuread:index/servicePrincipalCertificate:ServicePrincipalCertificate"
OF_APPLICATION = "azuread:index/application:Application"
SIGNS = "gcp:compute/backendBucketSignedUrlKey:BackendBucketSignedUrlKey"
RULE = "azure-native:eventhub:NamespaceAuthorizationRule"
TOKEN = "azure-native:containerregistry:Token"
ENDPOINT = "azure-native:machinelearningservices:OnlineEndpoint"
SCIM = "gcp:iam/workforcePoolProviderScimToken:WorkforcePoolProviderScimToken"
LOCAL = "azure-native:storage:LocalUser"
SOON = f"{TODAY + timedelta(days=90)}T00:00:00Z"
LATE = "2999-01-01T00:00:00Z"


def outcome(token, inputs):
    own = Resource(urn="own", type=token, name="own", inputs=inputs)
    judged = verdict(of_resources([own]))
    found = [each for each in judged.findings if each.rule == "long-lived-key"]
    return [each.outcome for each in found if each.subject == "own"]


@pytest.mark.parametrize("token", [PASSWORD, CERTIFICATE])
@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ({"endDate": SOON}, ["fine"]),
        ({"endDate": LATE}, ["violated"]),
        ({"endDate": UNKNOWN}, ["not-knowable"]),
        ({"endDateRelative": "240h"}, ["fine"]),
        ({"endDateRelative": "87600h"}, ["violated"]),
        ({"endDate": "soon"}, ["violated"]),
    ],
)
def test_a_password_or_a_certificate_is_judged_by_its_end(token, end, expected):
    assert outcome(token, end) == expected


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (PASSWORD, {}, ["violated"]),
        (CERTIFICATE, {"value": "MII"}, []),
        (OF_APPLICATION, {"password": {"displayName": "p"}}, ["violated"]),
        (OF_APPLICATION, {"password": {"displayName": "p", "endDate": SOON}}, ["fine"]),
        (OF_APPLICATION, {}, []),
        (SIGNS, {"keyValue": "a"}, ["violated"]),
        (RULE, {"rights": ["Manage", "Send", "Listen"]}, ["violated"]),
        (RULE, {"rights": ["Send"]}, []),
        (ENDPOINT, {"onlineEndpointProperties": {"authMode": "Key"}}, ["violated"]),
        (ENDPOINT, {"onlineEndpointProperties": {"authMode": "AADToken"}}, []),
        (ENDPOINT, {"properties": {"authMode": "Key"}}, ["violated"]),
        (ENDPOINT, {"properties": {"authMode": "AADToken"}}, []),
        ("gcp:iam/oauthClientCredential:OauthClientCredential", {}, ["violated"]),
        (
            "gcp:iam/workforcePoolProviderScimToken:WorkforcePoolProviderScimToken",
            {},
            ["violated"],
        ),
        ("gcp:firestore/userCreds:UserCreds", {"database": "d"}, ["violated"]),
        (TOKEN, {"credentials": {"passwords": [{"name": "password1"}]}}, ["violated"]),
        (
            TOKEN,
            {"credentials": {"passwords": [{"name": "password1", "expiry": SOON}]}},
            ["fine"],
        ),
        (TOKEN, {"scopeMapId": "s"}, []),
        (LOCAL, {"hasSshPassword": True}, ["violated"]),
        (LOCAL, {"hasSshKey": True}, []),
    ],
)
def test_what_a_type_switches_on_counts(token, inputs, expected):
    assert outcome(token, inputs) == expected


def test_every_type_of_google_cloud_in_the_table_is_read():
    types = {row["type"] for row in rows_of(json.loads(TABLE.read_text("utf-8")))}

    assert [kind for kind in types if kind.startswith("gcp:") and not kind.endswith(KEYS)] == []
