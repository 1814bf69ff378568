"""Caches, queues and databases of Azure with a public address, on raw resources."""

from typing import Any

import pytest

from gpuinfra.clouds.azure.observe import resource_types
from gpuinfra.model import UNKNOWN
from tests.clouds import sdk_inputs
from tests.rules.cases.azure_program import AzureProgram
from tests.rules.cases.moments import both
from tests.rules.cases.program import Moment
from tests.rules.cases.verdicts import applicable

REDIS, CLUSTER = "azure-native:redis:Redis", "azure-native:redisenterprise:RedisEnterprise"
DATABASE = "azure-native:redisenterprise:Database"
ENDPOINT = "azure-native:network:PrivateEndpoint"
OLD = "it accepts TLS older than 1.2 to the internet"
PLAIN = "it serves plain Redis to the internet"


def told(program: AzureProgram, rule: str, moment: Moment = "created") -> list[tuple[str, str]]:
    return [row for row in applicable(program, rule, moment) if row[0] != "fine"]


def one(kind: str, **inputs: Any) -> AzureProgram:
    program = AzureProgram()
    program.add(kind, "it", **inputs)
    return program


@both
@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, ["violated"]),
        ({"publicNetworkAccess": "Enabled"}, ["violated"]),
        ({"publicNetworkAccess": "Disabled"}, []),
        ({"publicNetworkAccess": UNKNOWN}, ["not-knowable"]),
        ({"subnetId": "/subscriptions/s/subnets/caches"}, []),
        ({"disableAccessKeyAuthentication": True}, []),
        ({"disableAccessKeyAuthentication": False}, ["violated"]),
        ({"disableAccessKeyAuthentication": UNKNOWN}, ["not-knowable"]),
    ],
)
def test_a_cache_is_open_unless_it_is_closed(inputs, expected, moment):
    assert [each for each, _ in told(one(REDIS, **inputs), "open-login", moment)] == expected


@both
@pytest.mark.parametrize("kind", ["FirewallRule", "RedisFirewallRule"])
@pytest.mark.parametrize(("end", "expected"), [("203.0.113.9", 0), ("255.255.255.255", 1)])
def test_a_firewall_rule_says_who_reaches_a_cache(end, expected, kind, moment):
    program = AzureProgram()
    cache = program.add(REDIS, "cache", resourceGroupName="rg")
    start = "203.0.113.1" if expected == 0 else "0.0.0.0"  # noqa: S104
    rule = {"resourceGroupName": "rg", "startIP": start, "endIP": end}
    program.add(f"azure-native:redis:{kind}", "rule", cacheName=cache.out("name"), **rule)

    assert len(told(program, "open-login", moment)) == expected


@both
@pytest.mark.parametrize(
    ("access", "expected"), [(None, ["not-knowable"]), ("Enabled", ["violated"]), ("Disabled", [])]
)
def test_a_private_endpoint_may_close_a_cache(access, expected, moment):
    program = AzureProgram()
    stated = {} if access is None else {"publicNetworkAccess": access}
    cache = program.add(REDIS, "cache", resourceGroupName="rg", **stated)
    connections = [{"privateLinkServiceId": cache.out("id"), "groupIds": ["redisCache"]}]
    program.add(ENDPOINT, "link", privateLinkServiceConnections=connections)

    assert [each for each, _ in told(program, "open-login", moment)] == expected


@pytest.mark.parametrize(
    ("access", "expected"),
    [("Enabled", ["violated"]), ("Disabled", []), (None, ["not-knowable"])],
)
def test_a_managed_cache_says_whether_it_is_public(access, expected):
    stated = {} if access is None else {"publicNetworkAccess": access}
    assert [each for each, _ in told(one(CLUSTER, **stated), "open-login")] == expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({}, []),
        ({"enableNonSslPort": True}, [("violated", PLAIN)]),
        ({"enableNonSslPort": "false"}, []),
        ({"enableNonSslPort": True, "publicNetworkAccess": "Disabled"}, []),
        ({"enableNonSslPort": True, "subnetId": "/subscriptions/s/subnets/caches"}, []),
        ({"minimumTlsVersion": "1.1"}, [("violated", OLD)]),
        ({"minimumTlsVersion": "1.2"}, []),
    ],
)
def test_a_cache_takes_tls_alone(inputs, expected):
    assert told(one(REDIS, **inputs), "front-tls") == expected


@both
@pytest.mark.parametrize(
    ("access", "protocol", "expected"),
    [
        ("Enabled", "Plaintext", ["violated"]),
        ("Enabled", "Encrypted", []),
        ("Enabled", None, []),
        ("Disabled", "Plaintext", []),
    ],
)
def test_a_database_of_a_managed_cache_takes_tls_alone(access, protocol, expected, moment):
    program = AzureProgram()
    cluster = program.add(CLUSTER, "c", resourceGroupName="rg", publicNetworkAccess=access)
    stated = {} if protocol is None else {"clientProtocol": protocol}
    named = {"resourceGroupName": "rg", "clusterName": cluster.out("name")}
    program.add(DATABASE, "d", **named, **stated)

    assert [each for each, _ in told(program, "front-tls", moment)] == expected


@both
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["Disabled"], []),
        (["Disabled", "Enabled"], ["violated"]),
        ([None], ["violated"]),
        ([UNKNOWN], ["not-knowable"]),
    ],
)
def test_a_managed_cache_without_keys_takes_identities_alone(keys, expected, moment):
    program = AzureProgram()
    cluster = program.add(CLUSTER, "c", resourceGroupName="rg", publicNetworkAccess="Enabled")
    named = {"resourceGroupName": "rg", "clusterName": cluster.out("name")}
    for number, setting in enumerate(keys):
        program.add(DATABASE, f"d{number}", **named, accessKeysAuthentication=setting)

    assert [each for each, _ in told(program, "open-login", moment)] == expected


WITH_LEAST = {kind: spec for kind, spec in resource_types.TLS_ENDPOINTS.items() if "least" in spec}


@pytest.mark.parametrize("kind", sorted(WITH_LEAST))
def test_every_service_takes_no_old_tls(kind):
    spec = WITH_LEAST[kind]
    opened = {spec["opened_by"]: True} if "opened_by" in spec else {}
    closed = {spec["opened_by"]: False} if opened else {"publicNetworkAccess": "Disabled"}
    old, new = {spec["least"]: "1.0"}, {spec["least"]: "1.2"}

    assert told(one(kind, **old, **opened), "front-tls") == [("violated", OLD)]
    assert told(one(kind, **new, **opened), "front-tls") == []
    assert told(one(kind, **old, **closed), "front-tls") == []
    unknown = told(one(kind, **{spec["least"]: UNKNOWN}, **opened), "front-tls")
    assert [outcome for outcome, _ in unknown] == ["not-knowable"]


ELSEWHERE = {
    "azure-native:cdn:AFDCustomDomain": "public_services reads it",
    "azure-native:storage:StorageAccount": "a bucket's rule judges it",
    **dict.fromkeys(
        (
            "azure-native:dbformariadb:Server",
            "azure-native:dbformysql:SingleServer",
            "azure-native:dbforpostgresql:SingleServer",
        ),
        "Azure has retired it",
    ),
    CLUSTER: "it takes TLS 1.2 whatever is stated, as the SDK says",
}


@pytest.mark.slow
def test_every_service_of_the_installed_sdk_with_a_least_version_is_read():
    named = {"minimum_tls_version", "minimal_tls_version", "minimum_tls_version_allowed"}
    seen = {token for token, inputs, _ in sdk_inputs.types_of("azure-native") if inputs & named}
    sending = {kind for kind in seen if kind.endswith("EventSubscription")}
    assert set(ELSEWHERE) <= seen
    assert seen - sending - set(ELSEWHERE) == set(WITH_LEAST)
