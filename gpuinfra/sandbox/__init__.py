"""The sandbox: a local cloud for the real Pulumi engine and the real provider SDKs.

What others call; it raises `gpuinfra.errors.SandboxError` with the fix:

- `home()`: where it lives, GPUINFRA_SANDBOX_HOME or a folder in the user's data folder.
- `start(progress=None) -> Server`: start the background server or find it running; race-safe.
- `stop() -> bool`: stop it, which deletes the resources in moto; False when none was running.
- `status() -> SandboxStatus`: running, endpoint, pid, since, counts by type and place, lost.
- `lost(project=None) -> int`: how many resources, of one Pulumi project or of all, stood in a
  server that is gone; starts nothing.
- `knows(project) -> bool`: whether something of a Pulumi project stands or stood here; starts
  nothing.
- `reset()`: stop, and forget everything: ledger, faults, states of stacks.
- `environment(strict=True, region=None, progress=None) -> dict[str, str]`: exactly the variables
  that a Pulumi process needs, to lay over its own; starts the server when it is not up.
- `homes() -> tuple[Home, ...]`: which AWS types live in moto and which in the ledger, and why.
- `standing(stack=None) -> list[Standing]`: what stands: urn, type, id, name, stack, region, where.
- `stand(type, id, properties, region)`: add an older resource, made outside Pulumi, to the ledger.
- `change(which, {path: value})`, `remove(which)`: change or remove what stands in the ledger,
  found by URN, id or name, behind Pulumi's back; what stands in moto is changed with boto3.
- `faults.add(faults.Fault(kind=...))`, `faults.listed()`, `faults.clear(id=None)`: what goes wrong
  on request.

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
    from gpuinfra.sandbox.variables import environment

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
        "variables": "environment",
    },
)
