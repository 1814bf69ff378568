"""Secrets in plain inputs of web apps, images, files, variables and commands."""

import pytest

from gpuinfra.clouds.environment_secrets import exposed_secrets
from gpuinfra.model import UNKNOWN, Resource

DATABASE = "Server=tcp:x;User ID=a;Password=Sup3rS3cret!x9;"


def secrets(type_, **inputs):
    return exposed_secrets(Resource(urn=f"urn::{type_}::v", type=type_, name="v", inputs=inputs))


@pytest.mark.parametrize("type_", ["web:WebApp", "web/v20240401:WebApp", "web:WebAppSlot"])
def test_a_connection_string_of_a_web_app_shows_its_password(type_):
    given = [{"name": "d", "type": "SQLAzure", "connectionString": DATABASE}]
    told = secrets(f"azure-native:{type_}", siteConfig={"connectionStrings": given})
    assert told == ("a password in connectionStrings[0].connectionString",)


@pytest.mark.parametrize("text", [UNKNOWN, "@Microsoft.KeyVault(SecretUri=https://v/secrets/d)"])
def test_a_connection_string_that_is_kept_elsewhere_shows_nothing(text):
    given = [{"name": "d", "type": "SQLAzure", "connectionString": text}]
    site = {"connectionStrings": given}
    assert not secrets("azure-native:web:WebAppSlot", siteConfig=site)
