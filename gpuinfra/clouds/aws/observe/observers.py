"""The observer and caller functions by AWS type, imported once a stack has the type."""

from collections.abc import Callable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing import type_tokens
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Unknown, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.aws.observe",
    {
        **dict.fromkeys(resource_types.MACHINES, "machines.groups:group_rows"),
        resource_types.BATCH: "clusters.batch_machines:compute_environment",
        resource_types.SCHEDULE: "machines.group_schedules:schedule_rows",
        resource_types.RESERVATION: "machines.reservations:reservation_rows",
        resource_types.NAT: "costs.service_costs:nat_gateway",
        resource_types.EIP: "costs.service_costs:address",
        resource_types.BALANCER: "costs.service_costs:load_balancer",
        resource_types.ENDPOINT: "costs.service_costs:endpoint",
        resource_types.BUCKET: "costs.service_costs:bucket",
        **dict.fromkeys(resource_types.ATTACHMENTS, "costs.service_costs:attachment"),
        "aws:ssm/parameter:Parameter": "costs.service_costs:parameter",
        "aws:iam/accessKey:AccessKey": "costs.service_costs:access_key",
        "aws:iam/userLoginProfile:UserLoginProfile": "costs.service_costs:login",
        resource_types.SERVICE_CREDENTIAL: "costs.service_costs:service_login",
        "aws:iam/sshKey:SshKey": "costs.service_costs:ssh_key",
        "aws:iam/signingCertificate:SigningCertificate": "costs.service_costs:certificate",
        **dict.fromkeys(
            (resource_types.KEY, *resource_types.OTHER_KMS_KEYS), "costs.call_prices:kms_key"
        ),
        resource_types.TOPIC: "costs.call_prices:topic",
        resource_types.QUEUE: "costs.call_prices:queue",
        resource_types.BUDGET_ACTION: "costs.call_prices:budget_action",
        resource_types.FUNCTION: "starts.undeclared_starts:function",
        resource_types.SCHEDULER_SCHEDULE: "starts.undeclared_starts:schedule",
        "aws:cloudwatch/eventTarget:EventTarget": "starts.undeclared_starts:event_target",
        resource_types.BUCKET_LIFECYCLE: "costs.bucket_costs:lifecycle",
        resource_types.BUCKET_ENCRYPTION: "costs.bucket_costs:encryption",
        resource_types.BUCKET_REPLICATION: "costs.bucket_costs:copy",
        resource_types.EKS_CLUSTER: "clusters.containers:eks_cluster",
        resource_types.CAPACITY_PROVIDER: "clusters.containers:capacity_provider",
        resource_types.ECS_SERVICE: "clusters.containers:ecs_service",
        resource_types.LUSTRE: "costs.lustre:lustre",
        resource_types.OPEN_ZFS: "storage.standalone_storage:open_zfs",
        resource_types.EFS_FILE_SYSTEM: "storage.standalone_storage:efs_file_system",
        resource_types.VOLUME: "storage.standalone_storage:volume",
        "aws:ebs/snapshot:Snapshot": "storage.standalone_storage:snapshot",
        "aws:cloudwatch/logGroup:LogGroup": "costs.cloudwatch:log_group",
        resource_types.ALARM: "starts.undeclared_starts:alarm",
        "aws:cloudwatch/dashboard:Dashboard": "costs.cloudwatch:dashboard",
        resource_types.SCALING_POLICY: "costs.cloudwatch:scaling_policy",
        resource_types.LISTENER: "costs.listeners:listener",
        resource_types.CLASSIC_BALANCER: "costs.listeners:classic",
        resource_types.POLICY: "rights.grants:policy",
        resource_types.ROLE_POLICY: "rights.grants:policy",
        resource_types.USER_POLICY: "rights.grants:policy",
        resource_types.IAM_GROUP_POLICY: "rights.grants:policy",
        resource_types.BUCKET_POLICY: "rights.grants:trust",
        resource_types.TOPIC_POLICY: "rights.grants:trust",
        resource_types.QUEUE_POLICY: "rights.grants:trust",
        resource_types.POLICY_ATTACHMENT: "rights.grants:attachment",
        resource_types.ROLE_ATTACHMENT: "rights.grants:attachment",
        resource_types.USER_ATTACHMENT: "rights.grants:attachment_of_people",
        resource_types.IAM_GROUP_ATTACHMENT: "rights.grants:attachment_of_people",
        resource_types.ROLE: "starts.undeclared_starts:role",
        resource_types.USER: "rights.grants:holder_rows",
        resource_types.IAM_GROUP: "rights.grants:holder_rows",
        resource_types.PERMISSION: "rights.grants:permission",
        "aws:s3/bucketAcl:BucketAcl": "rights.grants:bucket_acl",
        resource_types.ROLE_ATTACHMENTS: "rights.grants:attachments",
    },
)

TYPES: Final = (
    frozenset(OBSERVERS)
    | TABLES.types("hourly_services")
    | resource_types.UNPRICED_TYPES
    | frozenset(resource_types.CURRENT_TOKENS)
)
"""Every token that is judged."""

CALLERS: Final = LazyTable[Callable[[Resource, Index], Iterator[str | Unknown]]](
    "gpuinfra.clouds.aws.observe",
    {
        "aws:apigateway/integration:Integration": "starts.service_calls:integration_starts",
        "aws:apigateway/restApi:RestApi": "starts.service_calls:started_by_body",
        "aws:apigateway/restApiPut:RestApiPut": "starts.service_calls:started_by_body",
        "aws:apigatewayv2/api:Api": "starts.service_calls:started_by_body",
        "aws:apigatewayv2/integration:Integration": "starts.service_calls:http_integration_starts",
        resource_types.SCALABLE_TARGET: "machines.scaling_targets:outside_target_reasons",
        "aws:appsync/dataSource:DataSource": "starts.service_calls:data_source_starts",
        "aws:cfg/remediationConfiguration:RemediationConfiguration": (
            "starts.service_calls:remediation_starts"
        ),
        "aws:codebuild/webhook:Webhook": "starts.named_starts:outside_starts",
        "aws:codepipeline/webhook:Webhook": "starts.named_starts:outside_starts",
        "aws:ec2transitgateway/instanceState:InstanceState": (
            "starts.service_calls:machine_state_starts"
        ),
        "aws:glue/trigger:Trigger": "starts.named_starts:outside_starts",
        "aws:imagebuilder/distributionConfiguration:DistributionConfiguration": (
            "starts.named_starts:fast_launch_starts"
        ),
        "aws:cloudwatch/compositeAlarm:CompositeAlarm": "starts.undeclared_starts:alarm_starts",
        "aws:dynamodb/tableReplica:TableReplica": "costs.repeated_charges:table_replica_reasons",
        "aws:efs/replicationConfiguration:ReplicationConfiguration": (
            "costs.repeated_charges:file_system_replica_reasons"
        ),
        "aws:directconnect/gatewayAssociation:GatewayAssociation": (
            "costs.repeated_charges:vpn_reasons"
        ),
        "aws:pipes/pipe:Pipe": "starts.service_calls:pipe_starts",
        "aws:sfn/stateMachine:StateMachine": "starts.service_calls:state_machine_starts",
        resource_types.SUBSCRIPTION: "costs.call_prices:address_starts",
        "aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream": (
            "costs.call_prices:address_starts"
        ),
        **dict.fromkeys(type_tokens.CALLS_OUT, "costs.call_prices:address_starts"),
        "aws:ssm/association:Association": "starts.service_calls:association_starts",
        "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask": (
            "starts.service_calls:window_starts"
        ),
    },
)
"""Types without rows of their own that call services or copy, by who reads what they start."""

RIGHTS: Final = {
    resource_types.USER_ATTACHMENTS: "policyArns",
    resource_types.IAM_GROUP_ATTACHMENTS: "policyArns",
    "aws:ssoadmin/managedPolicyAttachment:ManagedPolicyAttachment": "managedPolicyArn",
    "aws:ssoadmin/managedPolicyAttachmentsExclusive:ManagedPolicyAttachmentsExclusive": (
        "managedPolicyArns"
    ),
    "aws:ssoadmin/permissionSetInlinePolicy:PermissionSetInlinePolicy": "inlinePolicy",
    "aws:iot/policy:Policy": "policy",
}
"""Types that no observer reads and that give an identity rights, by the input that has them."""

ENDPOINTS: Final = LazyTable[Callable[[Resource], Rows]](
    "gpuinfra.clouds.aws.observe",
    {
        "aws:cloudfront/distribution:Distribution": "exposure.public_endpoints:distribution",
        "aws:cloudfront/multitenantDistribution:MultitenantDistribution": (
            "exposure.public_endpoints:distribution"
        ),
        "aws:apigateway/domainName:DomainName": "exposure.public_endpoints:domain",
        "aws:apigatewayv2/domainName:DomainName": "exposure.public_endpoints:http_domain",
        "aws:opensearch/domain:Domain": "exposure.public_endpoints:search",
        "aws:elasticsearch/domain:Domain": "exposure.public_endpoints:search",
        "aws:elasticbeanstalk/environment:Environment": "exposure.beanstalk:environment",
    },
)
"""Types that no observer reads and that answer requests of the internet themselves."""

OBJECTS: Final = frozenset(
    {"aws:s3/bucketObjectv2:BucketObjectv2", "aws:s3/objectCopy:ObjectCopy"}
)
"""Types of objects, which no observer reads and which have an access list of their own."""
