"""The namespaces of Kubernetes objects, in which their names are their own.

https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
"""

from typing import Any

from gpuinfra.clouds.observing.values import at


def namespace_of(inputs: Any) -> Any:
    """Return the namespace that an object states."""
    return at(inputs, "metadata", "namespace")


def may_be_in(namespace: Any, inputs: Any) -> bool:
    """Return whether an object may be in a namespace; one that is not stated may be any."""
    own_namespace = namespace_of(inputs)
    return own_namespace == namespace or not all(
        isinstance(namespace_name, str) for namespace_name in (own_namespace, namespace)
    )
