"""AWS's messages for simulated faults: capacity, quota, price, rights, propagation."""

from gpuinfra.sandbox.plugin.aws import outputs
from gpuinfra.sandbox.plugin.aws.naming import NAMING
from gpuinfra.sandbox.plugin.cloud import FailedLaunch, MachineRequest
from gpuinfra.sandbox.plugin.contract import Call, CloudRefusalError
from gpuinfra.sandbox.plugin.operation_context import OperationContext

_GROUP = "aws:autoscaling/group:Group"
_SIZES = ("minSize", "desiredCapacity")

# Services whose interface says AccessDenied; EC2 says UnauthorizedOperation, all others
# AccessDeniedException (the "Common errors" page of each service's API reference).
_OLD_SERVICES = frozenset(
    {"autoscaling", "budgets", "cloudwatch", "iam", "lb", "s3", "sns", "sqs"}
)
# Actions that are not called by verb and type.
_ACTIONS = {
    ("aws:autoscaling/group:Group", "create"): "autoscaling:CreateAutoScalingGroup",
    ("aws:autoscaling/group:Group", "update"): "autoscaling:UpdateAutoScalingGroup",
    ("aws:autoscaling/group:Group", "delete"): "autoscaling:DeleteAutoScalingGroup",
    ("aws:ec2/eip:Eip", "create"): "ec2:AllocateAddress",
    ("aws:ec2/eip:Eip", "delete"): "ec2:ReleaseAddress",
    ("aws:ec2/instance:Instance", "create"): "ec2:RunInstances",
    ("aws:ec2/instance:Instance", "update"): "ec2:ModifyInstanceAttribute",
    ("aws:ec2/instance:Instance", "delete"): "ec2:TerminateInstances",
}
_SERVICES = {"vpc": "ec2", "lb": "elasticloadbalancing"}
_USER = f"arn:aws:iam::{outputs.ACCOUNT}:user/sandbox"


# The words are AWS's own: docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html
# and the spot instance error codes of the same guide.
def no_capacity(request: MachineRequest) -> CloudRefusalError:
    """Return AWS's error for a zone without capacity."""
    if request.capacity == "spot":
        return CloudRefusalError(
            "InsufficientInstanceCapacity",
            "There is no Spot capacity available that matches your request for "
            f"{request.machine}.",
        )
    zones_text = f" ({', '.join(request.zones)})" if request.zones else ""
    return CloudRefusalError(
        "InsufficientInstanceCapacity",
        f"We currently do not have sufficient {request.machine} capacity in the Availability Zone "
        f"you requested{zones_text}. Our system will be working on provisioning additional "
        "capacity.",
    )


def no_quota(request: MachineRequest) -> CloudRefusalError:
    """Return AWS's error for a vCPU quota that is too small."""
    if request.capacity == "spot":
        return CloudRefusalError(
            "MaxSpotInstanceCountExceeded",
            f"Max spot instance count exceeded for {request.machine}.",
        )
    return CloudRefusalError(
        "VcpuLimitExceeded",
        f"You have requested more vCPU capacity than your current vCPU limit of 0 allows for the "
        f"instance bucket that {request.machine} belongs to. Please request an adjustment.",
    )


def low_price(request: MachineRequest) -> CloudRefusalError:
    """Return AWS's error for a spot price limit that is too low."""
    return CloudRefusalError(
        "SpotMaxPriceTooLow",
        f"Your Spot request price of {request.price or 'the On-Demand price'} for "
        f"{request.machine} is lower than the minimum required Spot request fulfillment price.",
    )


def permission_error(call: Call, verb: str) -> CloudRefusalError:
    """Return AWS's error for a missing permission."""
    module, name = call.token.split(":")[1].split("/")[0], call.token.rpartition(":")[2]
    service = _SERVICES.get(module, module)
    action = _ACTIONS.get((call.token, verb)) or f"{service}:{verb.capitalize()}{name}"
    words = f"User: {_USER} is not authorized to perform: {action}"
    if service == "ec2":
        message = f"You are not authorized to perform this operation. {words}"
        return CloudRefusalError("UnauthorizedOperation", message)
    is_old_service = module in _OLD_SERVICES
    return CloudRefusalError("AccessDenied" if is_old_service else "AccessDeniedException", words)


def not_visible_error(context: OperationContext) -> CloudRefusalError | None:
    """Return AWS's error as if the first reference were not visible yet; None without one."""
    from gpuinfra.sandbox.plugin.aws import references  # noqa: PLC0415  loads botocore

    return references.missing_first(context)


def failed_launch(context: OperationContext, request: MachineRequest) -> FailedLaunch | None:
    """Return an Auto Scaling group without machines, and its refusal, if any; else None.

    The create fails as the provider says it when it waited in vain (`waitForCapacityTimeout`);
    with "0" it does not wait, and nothing fails. Source: waitGroupCapacitySatisfied of
    terraform-provider-aws internal/service/autoscaling/group.go.
    """
    inputs = context.call.inputs
    sizes = {key: 0 for key in _SIZES if inputs.get(key)}
    if context.call.token != _GROUP or not sizes:
        return None
    if str(inputs.get("waitForCapacityTimeout", "10m")) in ("0", "0s"):
        return FailedLaunch(sizes, None)
    name = inputs.get(NAMING[_GROUP].key, context.call.name)
    why = no_capacity(request)
    message = (
        f"waiting for Auto Scaling Group ({name}) capacity satisfied: scaling activity: Failed: "
        f"{why.message} Launching EC2 instance failed."
    )
    return FailedLaunch(sizes, CloudRefusalError(why.code, message))
