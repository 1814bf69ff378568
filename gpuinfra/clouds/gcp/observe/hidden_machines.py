"""Types that start machines, or pay for them, in ways that their resource does not show."""

from typing import Final

_TPU: Final = "TPUs are not supported, and their prices are unknown"
_OWN: Final = "it starts its own machines, whose price is unknown"
_GUEST: Final = "its machines are in another cloud, at that cloud's price"
_RUNS: Final = "it may start machines that are not declared here"

REASONS: Final = {
    "gcp:cloudscheduler/job:Job": _RUNS,
    "gcp:workflows/workflow:Workflow": _RUNS,
    "gcp:cloudfunctions/function:Function": _RUNS,
    "gcp:cloudfunctionsv2/function:Function": _RUNS,
    "gcp:cloudbuild/trigger:Trigger": _RUNS,
    "gcp:deploymentmanager/deployment:Deployment": _RUNS,
    "gcp:tpu/v2Vm:V2Vm": _TPU,
    "gcp:tpu/v2QueuedResource:V2QueuedResource": _TPU,
    "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool": _OWN,
    "gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment": _OWN,
    "gcp:vertex/aiPersistentResource:AiPersistentResource": _OWN,
    "gcp:vertex/aiReasoningEngine:AiReasoningEngine": _OWN,
    "gcp:vertex/aiIndexEndpointDeployedIndex:AiIndexEndpointDeployedIndex": _OWN,
    "gcp:workbench/instance:Instance": _OWN,
    "gcp:colab/runtime:Runtime": _OWN,
    "gcp:colab/notebookExecution:NotebookExecution": _OWN,
    "gcp:workstations/workstationConfig:WorkstationConfig": _OWN,
    "gcp:dataproc/cluster:Cluster": _OWN,
    "gcp:dataproc/batch:Batch": _OWN,
    "gcp:dataflow/job:Job": _OWN,
    "gcp:dataflow/flexTemplateJob:FlexTemplateJob": _OWN,
    "gcp:composer/environment:Environment": _OWN,
    "gcp:cloudrun/service:Service": _OWN,
    "gcp:cloudrunv2/service:Service": _OWN,
    "gcp:cloudrunv2/job:Job": _OWN,
    "gcp:cloudrunv2/workerPool:WorkerPool": _OWN,
    "gcp:compute/instanceFromMachineImage:InstanceFromMachineImage": (
        "its machine image defines what it starts, which is not declared here"
    ),
    "gcp:compute/nodeGroup:NodeGroup": (
        "a sole-tenant node is billed as a whole, and its price is unknown"
    ),
    "gcp:container/awsNodePool:AwsNodePool": _GUEST,
    "gcp:container/azureNodePool:AzureNodePool": _GUEST,
}
"""Why each is not judged, by its type; what has no price violates the budget rules."""
