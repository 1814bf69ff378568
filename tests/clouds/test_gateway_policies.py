"""Policies, named values and backends of API Management that show a secret, and that don't."""

import pytest

from gpuinfra.clouds.environment_secrets import exposed_secrets
from gpuinfra.model import UNKNOWN, Resource
from tests.rules.cases.judging import of_resources, outcomes

KINDS = (
    *("Policy", "ApiPolicy", "ApiOperationPolicy", "ProductPolicy", "PolicyFragment"),
    *("GraphQLApiResolverPolicy", "WorkspacePolicy", "WorkspaceApiPolicy"),
    *("WorkspaceApiOperationPolicy", "WorkspaceProductPolicy", "WorkspacePolicyFragment"),
)
PASSWORD = "Tr0ub4dor-x9Kq"
KEY = "q9Zk2vX7Lm4Tn8Bw1Rc6Yd3Hs5Jf0PgA"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r"


def shown(kind, **inputs):
    token = f"azure-native:apimanagement:{kind}"
    urn = f"urn:pulumi:dev::shop::{token}::it"
    return exposed_secrets(Resource(urn=urn, type=token, name="it", inputs=inputs))


def header(name, value, element="set-header"):
    begin = f'<{element} name="{name}" exists-action="override">'
    return f"<policies><inbound>{begin}<value>{value}</value></{element}></inbound></policies>"


SHOWN = [
    f'<policies><authentication-basic username="u" password="{PASSWORD}" /></policies>',
    header("Authorization", f"Bearer {TOKEN}"),
    header("Authorization", "Basic c3ZjOlRyMHViNGRvci14OUtx"),
    header("x-api-key", KEY),
    header("api_key", KEY, "set-query-parameter"),
    f"<policies>{header('X-First', 'one')}{header('x-functions-secret', KEY)}</policies>",
]
HIDDEN = [
    '<policies><authentication-basic username="u" password="{{backend}}" /></policies>',
    '<policies><authentication-managed-identity resource="https://vault.azure.net" /></policies>',
    header("Authorization", '@("Bearer " + (string)context.Variables["token"])'),
    header("x-api-key", "{{api-key}}"),
    header("Content-Type", "application/json"),
    header("Authorization", "Bearer {{token}}"),
    "<policies><set-header name='x-api-key' exists-action='delete' /></policies>",
    "<set-header" * 100 + "<value" * 100,
    "https://example.com/policy.xml",
    UNKNOWN,
]


@pytest.mark.parametrize("policy", SHOWN)
def test_a_secret_in_a_policy_is_shown(policy):
    (words,) = shown("ApiPolicy", value=policy, format="rawxml")
    assert PASSWORD not in words
    assert KEY not in words


@pytest.mark.parametrize("policy", HIDDEN)
def test_what_is_filled_in_later_is_none(policy):
    assert shown("ApiPolicy", value=policy) is None


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_policy_is_read(kind):
    assert shown(kind, value=SHOWN[0])


@pytest.mark.parametrize(
    ("secret", "told"), [(False, True), (None, True), (True, False), (UNKNOWN, False)]
)
def test_a_named_value_is_open_unless_it_is_a_secret(secret, told):
    inputs = {} if secret is None else {"secret": secret}
    named = shown("NamedValue", displayName="backend-password", value=PASSWORD, **inputs)
    assert (named is not None) is told
    assert shown("NamedValue", displayName="region", value="westeurope", **inputs) is None


@pytest.mark.parametrize(
    ("encrypted", "told"), [(False, True), (None, True), (True, False), (UNKNOWN, False)]
)
def test_a_variable_of_automation_is_open_unless_it_is_encrypted(encrypted, told):
    inputs = {} if encrypted is None else {"isEncrypted": encrypted}
    kind = "azure-native:automation:Variable"
    given = {"name": "password", "value": f'"{PASSWORD}"', **inputs}

    variable = exposed_secrets(Resource(urn="v", type=kind, name="v", inputs=given))
    assert (variable is not None) is told


def test_a_backend_s_credentials_are_open():
    assert shown("Backend", credentials={"header": {"x-api-key": [KEY]}})
    assert shown("Backend", credentials={"query": {"api_key": [KEY]}})
    assert shown("Backend", credentials={"header": {"x-api-key": ["{{key}}"]}}) is None


def test_the_rule_refuses_it():
    token = "azure-native:apimanagement:ApiPolicy"
    urn = f"urn:pulumi:dev::shop::{token}::it"
    resource = Resource(urn=urn, type=token, name="it", inputs={"value": SHOWN[0]})
    assert outcomes(of_resources([resource]), "secret-in-output") == ["violated"]
