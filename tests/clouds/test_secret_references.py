"""Inputs that only name a secret which is kept elsewhere."""

from dataclasses import replace
from typing import Any

import pytest

from gpuinfra.clouds.environment_secrets import exposed_secrets
from gpuinfra.model import UNKNOWN, Resource
from tests.clouds.secret_texts import exposed

NAMES = ["app-signing-key-20241105", "AppConfigSecret2024", "oauth2-client-secret-8f3a2b1"]
REFERENCES: list[tuple[str, str]] = [
    (
        "aws:fsx/windowsFileSystem:WindowsFileSystem",
        "selfManagedActiveDirectory.domainJoinServiceAccountSecret",
    ),
    ("aws:lambda/permission:Permission", "eventSourceToken"),
    (
        "azure-native:azurearcdata:SqlManagedInstance",
        "properties.k8sRaw.spec.security.adminLoginSecret",
    ),
    ("azure-native:cdn:AFDCustomDomain", "tlsSettings.secret"),
    (
        "azure-native:iotoperations:AkriConnectorTemplate",
        "properties.runtimeConfiguration.managedConfigurationSettings.secrets.secretKey",
    ),
    ("gcp:cloudbuild/trigger:Trigger", "webhookConfig.secret"),
    ("gcp:cloudfunctions/function:Function", "secretEnvironmentVariables.secret"),
    ("gcp:cloudfunctions/function:Function", "secretVolumes.secret"),
    ("gcp:cloudfunctionsv2/function:Function", "serviceConfig.secretEnvironmentVariables.secret"),
    ("gcp:cloudfunctionsv2/function:Function", "serviceConfig.secretVolumes.secret"),
    (
        "gcp:cloudrun/service:Service",
        "template.spec.containers.envs.valueFrom.secretKeyRef.secret",
    ),
    ("gcp:cloudrun/service:Service", "template.spec.volumes.secret.secret"),
    ("gcp:cloudrunv2/job:Job", "runExecutionToken"),
    ("gcp:cloudrunv2/job:Job", "startExecutionToken"),
    ("gcp:cloudrunv2/job:Job", "template.template.volumes.secret.secret"),
    ("gcp:cloudrunv2/service:Service", "template.containers.envs.valueSource.secretKeyRef.secret"),
    ("gcp:cloudrunv2/service:Service", "template.volumes.secret.secret"),
    ("gcp:storage/transferJob:TransferJob", "transferSpec.awsS3DataSource.credentialsSecret"),
]


@pytest.mark.parametrize("secret_name", NAMES)
@pytest.mark.parametrize(("token", "path"), REFERENCES)
def test_the_name_of_a_secret_that_is_kept_elsewhere_is_none(token, path, secret_name):
    assert not exposed(token, nested_inputs(path, secret_name))


def nested_inputs(path: str, value: Any) -> dict[str, Any]:
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


@pytest.mark.parametrize(
    ("strategy", "is_plain"),
    [
        ("AWS_SECRETS_MANAGER", False),
        (UNKNOWN, False),
        ("PERSONAL_ACCESS_TOKEN", True),
        (None, True),
    ],
)
def test_a_token_of_glue_may_name_a_secret(strategy, is_plain):
    details = {"authStrategy": strategy, "authToken": "AppConfigSecret2024"}
    assert bool(exposed("aws:glue/job:Job", {"sourceControlDetails": details})) is is_plain


def test_what_is_marked_as_a_secret_is_not_plain():
    plain = {"password": "Tr0ub4dor-xK9!zQ77"}
    broker = Resource(
        urn="u",
        type="aws:mq/broker:Broker",
        name="n",
        inputs={"users": [plain]},
        redacted_inputs={"users": [{"password": UNKNOWN}]},
    )
    assert not exposed_secrets(broker)
    assert exposed_secrets(replace(broker, redacted_inputs={}))
    assert exposed_secrets(replace(broker, inputs={"users": [plain], "tags": plain}))
