"""Declared inputs against the sandbox's tables of provider schemas, its rules for names and needs.

Sources beside the SDKs: documentation of lists of values, of the form of names, and of inputs that
a cloud demands or refuses together.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from gpuinfra.graph import Resource
from gpuinfra.sandbox.plugin import naming
from gpuinfra.sandbox.plugin.cloud import Cloud
from gpuinfra.sandbox.plugin.gcp import machines, scheduling
from gpuinfra.sandbox.plugin.input_validation import check
from tests.witnesses import values

_GCP_MACHINES = (machines.INSTANCE, machines.TEMPLATE, machines.REGION_TEMPLATE)
"""Types whose settings Google Cloud refuses at the create, which no preview looks at."""


@cache
def cloud(package: str) -> Cloud:
    """What the sandbox knows of a provider, read once."""
    folder = package.partition("-")[0]
    loaded: Cloud = import_module(f"gpuinfra.sandbox.plugin.{folder}.cloud").cloud()
    return loaded


def complaints(resource: Resource) -> Iterator[str]:
    """What the tables refuse of a resource; nothing for a type that they do not have."""
    known = cloud(resource.type.partition(":")[0])
    kind = known.schema.type(resource.type)
    if kind is None:
        return
    inputs = values.inputs(resource)
    failures = check(known.schema, kind, inputs)
    failures += naming.problems(known.naming(resource.type), inputs)
    failures += known.input_failures(resource.type, inputs)
    if resource.type in _GCP_MACHINES:
        failures += scheduling.problems(inputs)
    for failure in failures:
        if values.SYMBOL not in failure.reason:
            yield f"{failure.path}: {failure.reason}"
