"""Secrets in plain inputs of web apps, images, files, variables and commands."""

from base64 import b64encode

import pytest

from gpuinfra.model import UNKNOWN
from tests.clouds.secret_texts import exposed

DATABASE = "Server=tcp:x;User ID=a;Password=Sup3rS3cret!x9;"


def secrets(type_, **inputs):
    return exposed(type_, inputs)


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


TOKEN = "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
ARGUMENTS = {"HF_TOKEN": TOKEN}
FILE = f"HF_TOKEN={TOKEN}"
GITHUB = "github:index/"


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        ("docker-build:index:Image", {"buildArgs": ARGUMENTS}),
        ("docker:index/image:Image", {"build": {"args": ARGUMENTS}}),
        ("docker:index/remoteImage:RemoteImage", {"build": {"buildArgs": ARGUMENTS}}),
        ("docker:index/container:Container", {"envs": [FILE]}),
        ("docker:index/service:Service", {"taskSpec": {"containerSpec": {"env": ARGUMENTS}}}),
        (f"{GITHUB}actionsVariable:ActionsVariable", {"value": TOKEN}),
        (f"{GITHUB}actionsEnvironmentVariable:ActionsEnvironmentVariable", {"value": TOKEN}),
        (f"{GITHUB}actionsOrganizationVariable:ActionsOrganizationVariable", {"value": TOKEN}),
        (f"{GITHUB}repositoryFile:RepositoryFile", {"file": ".env", "content": FILE}),
        ("local:index/file:File", {"filename": ".env", "content": FILE}),
        ("local:index/file:File", {"contentBase64": b64encode(FILE.encode()).decode()}),
        ("command:local:Command", {"create": "./run.sh", "environment": ARGUMENTS}),
        ("command:remote:Command", {"create": f"export {FILE}\n./run.sh"}),
    ],
)
def test_a_token_in_the_plain_inputs_of_other_packages_is_told(type_, inputs):
    (told,) = secrets(type_, **inputs)
    assert told.startswith("a Hugging Face token")
    assert TOKEN not in told


def test_a_variable_s_own_name_tells_a_password():
    type_ = f"{GITHUB}actionsVariable:ActionsVariable"
    assert secrets(type_, variableName="DB_PASSWORD", value="correct-horse-7")
    assert not secrets(type_, variableName="REGION", value="us-east-1")


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        ("docker-build:index:Image", {"buildArgs": {"CUDA_VERSION": "12.4", "HF_TOKEN": UNKNOWN}}),
        ("docker-build:index:Image", {"secrets": {"HF_TOKEN": UNKNOWN}, "buildArgs": UNKNOWN}),
        ("command:local:Command", {"create": 'curl -H "Authorization: Bearer $TOKEN" https://x'}),
        ("command:local:Command", {"create": "kubectl get nodes", "environment": {"A": UNKNOWN}}),
        ("local:index/file:File", {"filename": "values.yaml", "content": "replicas: 2\n"}),
        (f"{GITHUB}actionsSecret:ActionsSecret", {"plaintextValue": UNKNOWN}),
    ],
)
def test_what_is_kept_back_shows_nothing(type_, inputs):
    assert not secrets(type_, **inputs)
