"""The sandbox: a local cloud for the real Pulumi engine and the real provider SDKs.

`__all__` has what others call; it raises `gpuinfra.errors.SandboxError` with the fix.

An AWS type with a handler in `gpuinfra.sandbox.aws.HANDLERS` is made in moto through boto3; every
other type of the schema tables, and all of Google Cloud and Azure, is kept in the ledger, a SQLite
file.

Names are loaded when first used: a plugin process passes through here and needs few of them.
"""

from typing import TYPE_CHECKING

from gpuinfra.lazy import lazy_names

if TYPE_CHECKING:
    from gpuinfra.sandbox import faults
    from gpuinfra.sandbox.drift import add_existing, change, remove
    from gpuinfra.sandbox.inventory import (
        SandboxResource,
        SandboxStatus,
        TypeBackend,
        backends,
        existing_resources,
        knows,
        lost_count,
        status,
    )
    from gpuinfra.sandbox.lifecycle import ServerState, reset, start, stop
    from gpuinfra.sandbox.sandbox_folder import sandbox_home
    from gpuinfra.sandbox.variables import environment, state_environment

__all__ = [
    "SandboxResource",
    "SandboxStatus",
    "ServerState",
    "TypeBackend",
    "add_existing",
    "backends",
    "change",
    "environment",
    "existing_resources",
    "faults",
    "knows",
    "lost_count",
    "remove",
    "reset",
    "sandbox_home",
    "start",
    "state_environment",
    "status",
    "stop",
]

__getattr__ = lazy_names(
    __name__,
    {
        "drift": "change remove add_existing",
        "faults": "faults",
        "inventory": "SandboxResource SandboxStatus TypeBackend existing_resources backends knows "
        "lost_count status",
        "lifecycle": "ServerState reset start stop",
        "sandbox_folder": "sandbox_home",
        "variables": "environment state_environment",
    },
)
