"""The settings of pulumi_azure_native's Provider, and the sandbox's caller identity."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin.cloud import Provider
from gpuinfra.sandbox.plugin.facts import names_in_table
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.settings import ProviderSettings, text

# Made up, in the form that Azure's have.
SUBSCRIPTION = "5a4db0c5-0000-4000-8000-000000000000"
TENANT = "7e4a4700-0000-4000-8000-000000000000"
CLIENT = "c11e4700-0000-4000-8000-000000000000"
OBJECT = "0b1ec700-0000-4000-8000-000000000000"


def _read(configuration: Mapping[str, Any]) -> ProviderSettings:
    return ProviderSettings(
        place=text(configuration, "location"),
        account={
            "subscriptionId": text(configuration, "subscriptionId", "ARM_SUBSCRIPTION_ID")
            or SUBSCRIPTION,
            "tenantId": text(configuration, "tenantId", "ARM_TENANT_ID") or TENANT,
            "clientId": text(configuration, "clientId", "ARM_CLIENT_ID") or CLIENT,
        },
    )


def _problems(_given: Mapping[str, Any]) -> list[Failure]:
    return []  # azure-native's CheckConfig refuses nothing: no location is demanded


PROVIDER = Provider(
    known_settings=names_in_table("azure-native", "provider"),
    read_settings=_read,
    problems=_problems,
)
