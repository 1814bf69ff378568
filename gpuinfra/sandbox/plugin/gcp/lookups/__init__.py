"""The look-ups (`invoke`) that the Google Cloud plugin answers; any other is refused by name."""

from gpuinfra.sandbox.plugin.cloud import Invoke
from gpuinfra.sandbox.plugin.gcp.lookups import accounts, images, network

INVOKES: dict[str, Invoke] = {**accounts.INVOKES, **images.INVOKES, **network.INVOKES}
