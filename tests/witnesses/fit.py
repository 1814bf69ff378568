"""Whether the resources of a declared stack fit each other, whatever cloud they are of."""

from gpuinfra.graph import ResourceGraph
from tests.witnesses import aws, azure_fit, google


def complaints(graph: ResourceGraph) -> list[str]:
    """Everything that does not fit, each with the resource's key."""
    return [*aws.complaints(graph), *azure_fit.complaints(graph), *google.complaints(graph)]
