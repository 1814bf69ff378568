"""A bucket's container is the one that is mounted, and is kept from its first object on."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.build_spec import BucketOutputs
from gpuinfra.graph import ComputedValue, Resource
from tests.witnesses.aws.stack import Stack, each
from tests.witnesses.values import Output

LONGEST: Final = 365
"""Days that Azure keeps what was deleted, at most:
https://learn.microsoft.com/azure/storage/blobs/soft-delete-blob-overview"""

AFTER: Final = ("BlobContainer", "ManagementPolicy")
"""What is made once an account keeps versions: objects, and rules about their versions:
https://learn.microsoft.com/azure/storage/blobs/versioning-overview"""


def complaints(stack: Stack) -> Iterator[str]:
    """What does not fit of accounts and their containers."""
    services = {
        _account(own): (resource, own) for resource, own in stack.of("BlobServiceProperties")
    }
    for token in AFTER:
        for store, own in stack.of(token):
            service = services.get(_account(own))
            if service is None:
                yield f"{store.key}: nothing says what its account keeps"
            elif service[0].key not in stack.before(store):
                yield f"{store.key}: made before its account keeps versions"
    for policy, own in stack.of("ManagementPolicy"):
        service = services.get(_account(own))
        if service is not None:
            yield from _promised(policy, own, service[1])
    for service, own in services.values():
        kept = (own.get("deleteRetentionPolicy") or {}).get("enabled")
        if own.get("isVersioningEnabled") is not kept:
            yield f"{service.key}: what it keeps of deleted blobs does not fit its versions"
    for container, own in stack.of("BlobContainer"):
        yield from _mounted(container, own, stack)


def _promised(policy: Resource, inputs: dict[str, Any], service: dict[str, Any]) -> Iterator[str]:
    """A version that may be deleted is kept as deleted for as long as it was promised.

    Azure counts its age from the day it was written, and replaced yesterday it may go today:
    https://learn.microsoft.com/azure/storage/blobs/lifecycle-management-policy-structure
    """
    kept = service.get("deleteRetentionPolicy") or {}
    if kept.get("enabled") is not True:
        return
    for rule in each(inputs, "policy.rules"):
        for kind in ("version", "snapshot"):
            path = f"definition.actions.{kind}.delete.daysAfterCreationGreaterThan"
            for days in each(rule, path):
                if min(days, LONGEST) != kept.get("days"):
                    yield f"{policy.key}: a {kind} is kept for {days} days, or {kept.get('days')}"


def _account(inputs: dict[str, Any]) -> Any:
    named = inputs.get("accountName")
    return named.ref.key if isinstance(named, Output) else named


def _mounted(container: Resource, inputs: dict[str, Any], stack: Stack) -> Iterator[str]:
    """Mounts name an account and a container of it, which Azure does not look up for them."""
    told = stack.graph.outputs.get(str(container.parent))
    name = told.bucket_name if isinstance(told, BucketOutputs) else None
    if isinstance(name, ComputedValue):
        mounted = name.function("account", "urn").partition("/")[2]
        if inputs.get("containerName") != mounted:
            yield f"{container.key}: mounts call it {mounted}"
