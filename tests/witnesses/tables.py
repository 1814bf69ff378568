"""Declared inputs against the tables of provider schemas that the sandbox judges programs by."""

from collections.abc import Iterator
from functools import cache

from gpuinfra.graph import Resource
from gpuinfra.sandbox.plugin.check import check
from gpuinfra.sandbox.plugin.schema import Schema, load
from tests.witnesses import values


@cache
def schema(package: str) -> Schema:
    """The tables of a package, read once."""
    return load(package)


def complaints(resource: Resource) -> Iterator[str]:
    """What the tables refuse of a resource; nothing for a type that they do not have."""
    tables = schema(resource.type.partition(":")[0])
    kind = tables.type(resource.type)
    if kind is None:
        return
    for failure in check(tables, kind, values.inputs(resource)):
        if "${" not in failure.reason:
            yield f"{failure.path}: {failure.reason}"
