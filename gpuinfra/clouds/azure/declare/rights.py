"""The permissions of a workload's identity: built-in roles, conditions on container parts."""

from collections.abc import Iterable
from typing import Final

BLOB_READER: Final = "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1"
BLOB_WRITER: Final = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
METRICS_PUBLISHER: Final = "3913510d-42f4-4e42-8a64-420c390055eb"
READER: Final = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
"""Storage Blob Data Reader and Contributor, Monitoring Metrics Publisher, and Reader:
https://learn.microsoft.com/azure/role-based-access-control/built-in-roles"""

CONDITIONS: Final = "2.0"

_BLOBS: Final = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs"
_READS: Final = f"ActionMatches{{'{_BLOBS}/read'}}"
_LISTS: Final = "SubOperationMatches{'Blob.List'}"
_WRITES: Final = tuple(
    f"ActionMatches{{'{_BLOBS}/{action}'}}"
    for action in ("write", "add/action", "move/action", "delete")
)


def role(which: str, subscription: str) -> str:
    """Return the id of a built-in role in a subscription."""
    return (
        f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{which}"
    )


def only_below(prefixes: Iterable[str], *, writable: bool) -> str | None:
    """Return the condition that limits a blob role to parts of a container; None for all of it.

    A listing may ask for the folder itself, without the slash at its end: so the mount program
    checks that it may enter. No prefix has the mark that ends a text (`starts` refuses it).
    https://learn.microsoft.com/azure/storage/blobs/storage-auth-abac-examples
    """
    parts = list(dict.fromkeys(prefixes))
    if not all(parts):
        return None
    path = " OR ".join(_begins_with(f"@Resource[{_BLOBS}:path]", part) for part in parts)
    listed = " OR ".join(_lists_only(f"@Request[{_BLOBS}:prefix]", part) for part in parts)
    clauses = [
        _unless_action(f"{_READS} AND NOT {_LISTS}", path),
        _unless_action(f"{_READS} AND {_LISTS}", listed),
    ]
    if writable:
        clauses += [_unless_action(action, path) for action in _WRITES]
    return " AND ".join(clauses)


def _begins_with(attribute: str, start: str) -> str:
    return f"{attribute} StringStartsWith '{start}'"


def _lists_only(attribute: str, folder: str) -> str:
    """Return the condition for a folder and its contents, without folders of a longer name."""
    return f"{attribute} StringEquals '{folder.rstrip('/')}' OR {_begins_with(attribute, folder)}"


def _unless_action(action: str, allowed: str) -> str:
    return f"((!({action})) OR ({allowed}))"
