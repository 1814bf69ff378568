"""Checks whether a scaling group retains machines that it was to terminate.

https://docs.aws.amazon.com/autoscaling/ec2/userguide/configure-instance-retention.html
"""

from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import all_of, any_of, as_list, at, equals
from gpuinfra.model import UNKNOWN, Known, Resource

RETAINED_MACHINES_REASON: Final = (
    "machines whose termination hook is abandoned or times out keep running and are not counted "
    "in its size: set terminate_hook_abandon to terminate"
)
_TRANSITION: Final = "lifecycleTransition"
_ENDING: Final = "autoscaling:EC2_INSTANCE_TERMINATING"
_RETAIN: Final = "retain"


def retains(group: Resource, index: Index) -> Known:
    """Return whether a group keeps machines whose termination hook is abandoned.

    Without a hook for terminating machines, the setting has no effect.
    """
    triggers = at(group.inputs.get("instanceLifecyclePolicy"), "retentionTriggers")
    retained = equals(at(triggers, "terminateHookAbandon"), _RETAIN)
    if retained is False:
        return False
    hooks = index.referrers(group, resource_types.HOOK, "autoscalingGroupName")
    inline_hooks = as_list(group.inputs.get("initialLifecycleHooks"))
    ending = [equals(hook.inputs.get(_TRANSITION), _ENDING) for hook in hooks.certain]
    ending += [equals(at(hook, _TRANSITION), _ENDING) for hook in inline_hooks]
    return all_of((retained, any_of((*ending, False if hooks.complete else UNKNOWN))))
