"""A bucket's container is the one that is mounted, and is kept from its first object on."""

from collections.abc import Iterator
from typing import Any

from gpuinfra.clouds.order import Stored
from gpuinfra.graph import Computed, Resource
from tests.witnesses.aws.stack import Stack
from tests.witnesses.values import Output

AFTER = ("BlobContainer", "ManagementPolicy")
"""What is made once an account keeps versions: objects, and rules about their versions:
https://learn.microsoft.com/azure/storage/blobs/versioning-overview"""


def complaints(stack: Stack) -> Iterator[str]:
    """What does not fit of accounts and their containers."""
    services = {_account(own): (one, own) for one, own in stack.of("BlobServiceProperties")}
    for token in AFTER:
        for one, own in stack.of(token):
            service = services.get(_account(own))
            if service is None:
                yield f"{one.key}: nothing says what its account keeps"
            elif service[0].key not in stack.before(one):
                yield f"{one.key}: made before its account keeps versions"
    for service, own in services.values():
        kept = (own.get("deleteRetentionPolicy") or {}).get("enabled")
        if own.get("isVersioningEnabled") is not kept:
            yield f"{service.key}: what it keeps of deleted blobs does not fit its versions"
    for container, own in stack.of("BlobContainer"):
        yield from _mounted(container, own, stack)


def _account(inputs: dict[str, Any]) -> Any:
    named = inputs.get("accountName")
    return named.ref.key if isinstance(named, Output) else named


def _mounted(container: Resource, inputs: dict[str, Any], stack: Stack) -> Iterator[str]:
    """Mounts name an account and a container of it, which Azure does not look up for them."""
    told = stack.graph.outputs.get(str(container.parent))
    name = told.bucket_name if isinstance(told, Stored) else None
    if isinstance(name, Computed):
        mounted = name.function("account", "urn").partition("/")[2]
        if inputs.get("containerName") != mounted:
            yield f"{container.key}: mounts call it {mounted}"
