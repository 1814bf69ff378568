"""The look-ups (`invoke`) that the Azure plugin answers; any other is refused by name."""

from gpuinfra.sandbox.plugin.azure.lookups import callers, existing_resources, keys
from gpuinfra.sandbox.plugin.cloud import Invoke

INVOKES: dict[str, Invoke] = {**callers.INVOKES, **keys.INVOKES, **existing_resources.INVOKES}
