"""The charges of a function besides its calls."""

from collections.abc import Iterator
from typing import Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import at, text
from gpuinfra.model import Resource

_NEVER: Final = (None, "None")
_JAVA: Final = "java"
_SNAPSHOTS: Final = "snapshots of its versions are billed by the hour, and their price is unknown"
_UNKNOWN_MACHINES: Final = (
    "it keeps machines of a capacity provider running, whose number is not known"
)


def unpriced_function_charges(function: Resource, _: Index) -> Iterator[str]:
    """Yield charges without a known price: snapshots of other runtimes than Java, and machines.

    https://docs.aws.amazon.com/lambda/latest/dg/snapstart.html#snapstart-pricing
    https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances.html
    """
    inputs = function.inputs
    if inputs.get("capacityProviderConfig") is not None:
        yield _UNKNOWN_MACHINES
    runtime = text(inputs.get("runtime"))
    java = isinstance(runtime, str) and runtime.startswith(_JAVA)
    if at(inputs.get("snapStart"), "applyOn") not in _NEVER and not java:
        yield _SNAPSHOTS
