"""The schedules of this stack that start stopped machines of another one.

https://docs.cloud.google.com/compute/docs/instances/schedule-instance-start-stop
"""

from typing import Final

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.gcp.observe.time_limits import starts
from gpuinfra.model import Resource

_MACHINES: Final = (resource_types.INSTANCE, resource_types.INSTANCE_FROM_TEMPLATE)
_STARTS: Final = "its schedule starts a machine that is not declared here"
_MAY_START: Final = "its policy, which is not declared here, may start a machine of elsewhere"


def foreign_start(attachment: Resource, index: Index) -> str:
    """Return why an attached policy may start a machine of elsewhere; empty if it can't."""
    machines = (index.targets(attachment, "instance", kind) for kind in _MACHINES)
    if any(own.certain or own.possible or own.namesakes for own in machines):
        return ""
    named = index.targets(attachment, "name", resource_types.POLICY)
    policies = (*named.certain, *named.possible, *named.namesakes)
    if not policies:
        return _MAY_START
    return _STARTS if any(map(starts, policies)) else ""
