"""Types that start machines, or pay for them, in ways that their resource does not show."""

from typing import Final

_OWN: Final = "it starts its own machines, whose price is unknown"
_JOBS: Final = "it starts machines for its jobs, which are not declared here"
_ELSEWHERE: Final = "the resources that it creates are defined elsewhere"
_RUNS: Final = "it may start machines that are not declared here"

REASONS: Final = {
    "azure-native:automation:Runbook": _RUNS,
    "azure-native:automation:JobSchedule": _RUNS,
    "azure-native:automation:Webhook": _RUNS,
    "azure-native:logic:Workflow": _RUNS,
    "azure-native:resources:AzureCliScript": _RUNS,
    "azure-native:resources:AzurePowerShellScript": _RUNS,
    "azure-native:batch:Pool": _JOBS,
    "azure-native:machinelearningservices:Compute": _JOBS,
    "azure-native:machinelearningservices:OnlineDeployment": _JOBS,
    "azure-native:machinelearningservices:BatchDeployment": _JOBS,
    "azure-native:machinelearningservices:InferencePool": _JOBS,
    "azure-native:machinelearningservices:ServerlessEndpoint": _OWN,
    "azure-native:containerinstance:ContainerGroup": _OWN,
    "azure-native:containerinstance:NGroup": _OWN,
    "azure-native:app:ContainerApp": _OWN,
    "azure-native:app:Job": _OWN,
    "azure-native:app:ManagedEnvironment": _OWN,
    "azure-native:databricks:Workspace": _OWN,
    "azure-native:synapse:BigDataPool": _OWN,
    "azure-native:hdinsight:Cluster": _OWN,
    "azure-native:servicefabric:NodeType": _OWN,
    "azure-native:labservices:Lab": _OWN,
    "azure-native:devtestlab:VirtualMachine": _OWN,
    "azure-native:redhatopenshift:OpenShiftCluster": _OWN,
    "azure-native:compute:DedicatedHost": (
        "a dedicated host is billed as a whole, and its price is unknown"
    ),
    "azure-native:standbypool:StandbyVirtualMachinePool": (
        "it keeps machines beside those of its scale set, which are not counted here"
    ),
    "azure-native:computebulkactions:BulkAction": _JOBS,
    "azure-native:resources:Deployment": _ELSEWHERE,
    "azure-native:resources:DeploymentStackAtResourceGroup": _ELSEWHERE,
    "azure-native:computeschedule:ScheduledAction": (
        "it starts and stops machines that are attached to it elsewhere"
    ),
}
"""Why each is not judged, by its type; what has no price violates the budget rules."""
