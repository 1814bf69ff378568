"""Types that start machines, or pay for them, in ways that their resource does not show."""

from typing import Final

_BY_HOUR: Final = "it starts machines of its own, whose prices (ml.*) no table has"
_BY_QUEUE: Final = "it starts machines for its jobs, and nobody sees here how many of which type"
_ELSEWHERE: Final = "what it makes is written elsewhere, and not seen here"
_RUNS: Final = "what it runs may start machines, and is not seen here"

REASONS: Final = {
    "aws:sfn/stateMachine:StateMachine": _RUNS,
    "aws:ssm/association:Association": _RUNS,
    "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask": _RUNS,
    "aws:codebuild/project:Project": _RUNS,
    "aws:pipes/pipe:Pipe": _RUNS,
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration": _BY_HOUR,
    "aws:sagemaker/endpoint:Endpoint": _BY_HOUR,
    "aws:sagemaker/notebookInstance:NotebookInstance": _BY_HOUR,
    "aws:sagemaker/trainingJob:TrainingJob": _BY_HOUR,
    "aws:sagemaker/hyperParameterTuningJob:HyperParameterTuningJob": _BY_HOUR,
    "aws:sagemaker/app:App": _BY_HOUR,
    "aws:sagemaker/space:Space": _BY_HOUR,
    "aws:sagemaker/domain:Domain": _BY_HOUR,
    "aws:sagemaker/pipeline:Pipeline": _BY_HOUR,
    "aws:batch/computeEnvironment:ComputeEnvironment": _BY_QUEUE,
    "aws:ecs/capacityProvider:CapacityProvider": _BY_QUEUE,
    "aws:emr/cluster:Cluster": "it starts machines at a price of EMR's own, which no table has",
    "aws:emr/instanceFleet:InstanceFleet": (
        "it starts machines at a price of EMR's own, which no table has"
    ),
    "aws:emr/instanceGroup:InstanceGroup": (
        "it starts machines at a price of EMR's own, which no table has"
    ),
    "aws:eks/cluster:Cluster": (
        "the price of its control plane is in no table, and Auto Mode or Karpenter may start"
        " machines of their own in it"
    ),
    "aws:ec2/launchConfiguration:LaunchConfiguration": (
        "a launch configuration is not judged; use a launch template"
    ),
    "aws:ec2/dedicatedHost:DedicatedHost": "a host is paid whole, at a price that no table has",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": (
        "a capacity block is paid whole when it is bought, at a price that only its offering has"
    ),
    "aws:autoscalingplans/scalingPlan:ScalingPlan": (
        "it scales groups that it finds by their tags, and may raise their maximum"
    ),
    "aws:elasticbeanstalk/environment:Environment": _ELSEWHERE,
    "aws:gamelift/fleet:Fleet": "it starts machines of GameLift's own, whose prices no table has",
    "aws:cloudformation/stack:Stack": _ELSEWHERE,
    "aws:cloudformation/stackSet:StackSet": _ELSEWHERE,
    "aws:cloudcontrol/resource:Resource": _ELSEWHERE,
    "aws:servicecatalog/provisionedProduct:ProvisionedProduct": _ELSEWHERE,
}
"""Why each is not judged, by its type; what has no price violates the budget rules."""
