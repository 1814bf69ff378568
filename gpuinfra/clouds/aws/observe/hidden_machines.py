"""Types that start machines, or pay for them, in ways that their resource does not show."""

from typing import Final

_BY_HOUR: Final = "it starts its own machines, whose prices (ml.*) are unknown"
_ELSEWHERE: Final = "the resources that it creates are defined elsewhere"
_RUNS: Final = "it may start machines that are not declared here"

ENDPOINTS: Final = (
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
    "aws:sagemaker/endpoint:Endpoint",
)
"""Types that start no machine where they are serverless; see `serverless_endpoints`."""

REASONS: Final = {
    "aws:codebuild/project:Project": _RUNS,
    **dict.fromkeys(ENDPOINTS, _BY_HOUR),
    "aws:sagemaker/notebookInstance:NotebookInstance": _BY_HOUR,
    "aws:sagemaker/trainingJob:TrainingJob": _BY_HOUR,
    "aws:sagemaker/hyperParameterTuningJob:HyperParameterTuningJob": _BY_HOUR,
    "aws:sagemaker/app:App": _BY_HOUR,
    "aws:sagemaker/space:Space": _BY_HOUR,
    "aws:sagemaker/domain:Domain": _BY_HOUR,
    "aws:sagemaker/pipeline:Pipeline": _BY_HOUR,
    "aws:emr/cluster:Cluster": "it starts machines at EMR prices, which are unknown",
    "aws:emr/instanceFleet:InstanceFleet": ("it starts machines at EMR prices, which are unknown"),
    "aws:emr/instanceGroup:InstanceGroup": ("it starts machines at EMR prices, which are unknown"),
    "aws:ec2/launchConfiguration:LaunchConfiguration": (
        "launch configurations are not supported; use a launch template"
    ),
    "aws:ec2/dedicatedHost:DedicatedHost": (
        "a dedicated host is billed as a whole, and its price is unknown"
    ),
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": (
        "a capacity block is billed when it is bought; only its offering shows the price"
    ),
    "aws:autoscalingplans/scalingPlan:ScalingPlan": (
        "it scales groups that it finds by their tags, and may raise their maximum"
    ),
    "aws:elasticbeanstalk/environment:Environment": _ELSEWHERE,
    "aws:gamelift/fleet:Fleet": "it starts GameLift machines, whose prices are unknown",
    "aws:cloudformation/stack:Stack": _ELSEWHERE,
    "aws:cloudformation/stackSet:StackSet": _ELSEWHERE,
    "aws:cloudcontrol/resource:Resource": _ELSEWHERE,
    "aws:servicecatalog/provisionedProduct:ProvisionedProduct": _ELSEWHERE,
}
"""Why each is not judged, by its type; what has no price violates the budget rules."""
