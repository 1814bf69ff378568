"""Look-ups of the caller."""

from typing import Any

from gpuinfra.sandbox.plugin.azure.settings import OBJECT
from gpuinfra.sandbox.plugin.cloud import Invoke, LookupContext


def _client_config(lookup_context: LookupContext, _args: dict[str, Any]) -> dict[str, Any]:
    return {**lookup_context.settings.account, "objectId": OBJECT}


INVOKES: dict[str, Invoke] = {"azure-native:authorization:getClientConfig": _client_config}
