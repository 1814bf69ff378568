"""Secrets in values that have their names beside them, or that stand below secrets."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.secret_texts import exposed

CONNECTION = "aws:cloudwatch/eventConnection:EventConnection"
APP = "azure-native:app:ContainerApp"
STORE = "azure-native:app:DaprComponent"
PASSWORD = "Tr0ub4dor-xK9!zQ77a7"


def connection(key: str, value: str) -> dict[str, Any]:
    return {"authParameters": {"apiKey": {"key": key, "value": value}}}


def headers(key: str, value: str) -> dict[str, Any]:
    parameters = {"headers": [{"key": key, "value": value}]}
    return {"authParameters": {"invocationHttpParameters": parameters}}


def secrets(value: Any) -> dict[str, Any]:
    return {"configuration": {"secrets": [{"name": "redis-key", "value": value}]}}


def metadata(name: str, **more: Any) -> dict[str, Any]:
    return {"componentName": "store", "metadata": [{"name": name, **more}]}


@pytest.mark.parametrize(
    ("token", "inputs", "place"),
    [
        (CONNECTION, connection("Authorization", PASSWORD), "authParameters.apiKey.Authorization"),
        (CONNECTION, connection("X-Api-Key", PASSWORD), "authParameters.apiKey.X-Api-Key"),
        (CONNECTION, headers("X-Api-Key", PASSWORD), "headers.X-Api-Key"),
        (APP, secrets("plain-words"), "configuration.secrets.redis-key"),
        (STORE, {"secrets": [{"name": "a", "value": "plain-words"}]}, "secrets.a"),
        (STORE, metadata("redisPassword", value=PASSWORD), "metadata.redisPassword"),
        (
            "azure-native:app:ConnectedEnvironmentsDaprComponent",
            metadata("redisPassword", value=PASSWORD),
            "metadata.redisPassword",
        ),
    ],
)
def test_a_named_secret_is_found_once(token, inputs, place):
    (words,) = exposed(token, inputs)
    assert words.endswith(place)
    assert PASSWORD not in words


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (CONNECTION, connection("Authorization", "${token}")),
        (CONNECTION, headers("X-Origin", "gateway-2024-a1b2c3d4e5")),
        *((APP, secrets(value)) for value in ("", " ", None, UNKNOWN, "${redis-key}")),
        (APP, {"configuration": {"secrets": [{"name": "k", "keyVaultUrl": "https://v/x"}]}}),
        (STORE, metadata("redisPassword", secretRef="redis-password-20241105")),
        (STORE, metadata("redisHost", value="redis-2024-a1b2c3d4.internal:6379")),
    ],
)
def test_what_names_or_leaves_out_the_secret_is_none(token, inputs):
    assert not exposed(token, inputs)
