"""The requests that resources send to URLs, and descriptions of what these may start.

One answer for every cloud: a request to automation of a cloud or a pipeline, or one that carries
an identity of the stack to an address outside of it, may start machines; a plain one to another
address starts none. See `about` in clouds/callees.json.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gpuinfra.clouds import automation_urls
from gpuinfra.clouds.observing.free_cases import matches_case, values_at
from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.clouds.webhooks import only_tells
from gpuinfra.model import UNKNOWN, Resource, Rows, Unknown

_MAY: Final = "which may start machines that are not declared here"
_IDENTITY: Final = f"it calls an address with an identity of the stack, {_MAY}"
_ANY_ADDRESS: Final = (
    f"it calls any address that is asked for with an identity of the stack, {_MAY}"
)
_UNDECIDED_REASON: Final = "whether what it calls starts machines is not known yet"
_URL: Final = re.compile(r"https?://[^\s\"'<>]+")
_READ_METHODS: Final = frozenset({"GET", "HEAD", "METHOD_UNSPECIFIED"})
_ACCOUNT: Final = re.compile(r"[aA]ccount:|:UserAssignedIdentity$")
"""How types are called that are an identity, and answer no request."""


def with_call_reasons(rows: Rows, resource: Resource, kind: str, index: Index) -> Rows:
    """Return the rows of a resource with the reason why its calls are not judged.

    That takes the place of why its type holds no machine.
    """
    reasons = tuple(dict.fromkeys(reasons_of(resource, kind, index)))
    reasons_text = "; ".join(reason for reason in reasons if isinstance(reason, str))
    if reasons_text:
        starting_rows = (row for row in rows.not_judged if row.may_start_machines)
        return replace(
            rows, not_judged=(*starting_rows, *unjudged_rows(resource, reasons_text).not_judged)
        )
    if reasons:
        undecided_rows = unjudged_rows(resource, _UNDECIDED_REASON).not_judged
        return replace(rows, undecided=(*rows.undecided, *undecided_rows))
    return rows


def reasons_of(resource: Resource, kind: str, index: Index) -> Iterator[str | Unknown]:
    """Yield the starts that a resource's requests may cause; UNKNOWN for unknown addresses."""
    row = automation_urls.caller(kind)
    if row is None or ("off" in row and matches_case(resource.inputs, row["off"])):
        return
    for path, started in row.get("runs", {}).items():
        values = (value for value in values_at(resource.inputs, path) if value is not None)
        if any(True for _ in values) and not _is_own(resource, path, index):
            yield f"it runs {started}, {_MAY}"
    uses_identity = any(
        value is not None
        for path in row.get("identity", ())
        for value in values_at(resource.inputs, path)
    )
    urls = [
        (path, url)
        for path in row["urls"]
        for url in values_at(resource.inputs, path)
        if url is not None
    ]
    if uses_identity and not urls and "others_state_urls" in row:
        yield _ANY_ADDRESS
    for path, url in urls:
        if not _only_asks(resource.inputs, row, url, identity=uses_identity):
            yield from _url_starts(resource, path, url, index, identity=uses_identity)


def webhook_start_reason(url: Any, *, identity: bool) -> str:
    """Return a description of what a webhook may start; empty if it starts nothing."""
    started = automation_urls.runs(url)
    if started:
        return f"it runs {started}, {_MAY}"
    return _IDENTITY if identity and not only_tells(url) else ""


def _url_starts(
    resource: Resource, path: str, url: Any, index: Index, *, identity: bool
) -> Iterator[str | Unknown]:
    """Yield the starts that a request to a URL may cause, unless it is the stack's own."""
    is_own = _is_own(resource, path, index)
    if not isinstance(url, str):
        yield from () if is_own else (UNKNOWN,)
        return
    for address in _URL.findall(url) or [url]:
        if is_own and automation_urls.may_be_own(address):
            continue
        if reason := webhook_start_reason(address, identity=identity):
            yield reason


def _is_own(resource: Resource, path: str, index: Index) -> bool:
    """Return whether the value at a path comes from an endpoint of the stack."""
    sources = index.related_resources(resource, path.partition(".")[0])
    return any(not _ACCOUNT.search(source.type) for source in sources)


def _only_asks(
    inputs: Mapping[str, Any], row: Mapping[str, Any], url: Any, *, identity: bool
) -> bool:
    """Return whether a request is a GET without an identity, the default of an XML test."""
    if identity or "method" not in row:
        return False
    if isinstance(url, str) and url.lstrip().startswith("<"):
        return "post" not in url.casefold()
    (method,) = values_at(inputs, row["method"])
    return method is None or (isinstance(method, str) and method.upper() in _READ_METHODS)
