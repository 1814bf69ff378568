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
        **dict.fromkeys(resource_types.MACHINES, "groups:group_rows"),
        resource_types.BATCH: "batch_machines:compute_environment",
        resource_types.SCHEDULE: "group_schedules:schedule_rows",
        resource_types.RESERVATION: "reservations:reservation_rows",
        resource_types.NAT: "service_costs:nat_gateway",
        resource_types.EIP: "service_costs:address",
        resource_types.BALANCER: "service_costs:load_balancer",
        resource_types.ENDPOINT: "service_costs:endpoint",
        resource_types.BUCKET: "service_costs:bucket",
        **dict.fromkeys(resource_types.ATTACHMENTS, "service_costs:attachment"),
        "aws:ssm/parameter:Parameter": "service_costs:parameter",
        "aws:iam/accessKey:AccessKey": "service_costs:access_key",
        "aws:iam/userLoginProfile:UserLoginProfile": "service_costs:login",
        resource_types.SERVICE_CREDENTIAL: "service_costs:service_login",
        "aws:iam/sshKey:SshKey": "service_costs:ssh_key",
        "aws:iam/signingCertificate:SigningCertificate": "service_costs:certificate",
        **dict.fromkeys(
            (resource_types.KEY, *resource_types.OTHER_KMS_KEYS), "call_prices:kms_key"
        ),
        resource_types.TOPIC: "call_prices:topic",
        resource_types.QUEUE: "call_prices:queue",
        resource_types.BUDGET_ACTION: "call_prices:budget_action",
        resource_types.FUNCTION: "undeclared_starts:function",
        resource_types.SCHEDULER_SCHEDULE: "undeclared_starts:schedule",
        "aws:cloudwatch/eventTarget:EventTarget": "undeclared_starts:event_target",
        resource_types.BUCKET_LIFECYCLE: "bucket_costs:lifecycle",
        resource_types.BUCKET_ENCRYPTION: "bucket_costs:encryption",
        resource_types.BUCKET_REPLICATION: "bucket_costs:copy",
        resource_types.EKS_CLUSTER: "containers:eks_cluster",
        resource_types.CAPACITY_PROVIDER: "containers:capacity_provider",
        resource_types.ECS_SERVICE: "containers:ecs_service",
        resource_types.LUSTRE: "lustre:lustre",
        resource_types.OPEN_ZFS: "standalone_storage:open_zfs",
        resource_types.EFS_FILE_SYSTEM: "standalone_storage:efs_file_system",
        resource_types.VOLUME: "standalone_storage:volume",
        "aws:ebs/snapshot:Snapshot": "standalone_storage:snapshot",
        "aws:cloudwatch/logGroup:LogGroup": "cloudwatch:log_group",
        resource_types.ALARM: "undeclared_starts:alarm",
        "aws:cloudwatch/dashboard:Dashboard": "cloudwatch:dashboard",
        resource_types.SCALING_POLICY: "cloudwatch:scaling_policy",
        resource_types.LISTENER: "listeners:listener",
        resource_types.CLASSIC_BALANCER: "listeners:classic",
        resource_types.POLICY: "grants:policy",
        resource_types.ROLE_POLICY: "grants:policy",
        resource_types.USER_POLICY: "grants:policy",
        resource_types.IAM_GROUP_POLICY: "grants:policy",
        resource_types.BUCKET_POLICY: "grants:trust",
        resource_types.TOPIC_POLICY: "grants:trust",
        resource_types.QUEUE_POLICY: "grants:trust",
        resource_types.POLICY_ATTACHMENT: "grants:attachment",
        resource_types.ROLE_ATTACHMENT: "grants:attachment",
        resource_types.USER_ATTACHMENT: "grants:attachment_of_people",
        resource_types.IAM_GROUP_ATTACHMENT: "grants:attachment_of_people",
        resource_types.ROLE: "undeclared_starts:role",
        resource_types.USER: "grants:holder_rows",
        resource_types.IAM_GROUP: "grants:holder_rows",
        resource_types.PERMISSION: "grants:permission",
        "aws:s3/bucketAcl:BucketAcl": "grants:bucket_acl",
        resource_types.ROLE_ATTACHMENTS: "grants:attachments",
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
        "aws:apigateway/integration:Integration": "service_calls:integration_starts",
        "aws:apigateway/restApi:RestApi": "service_calls:started_by_body",
        "aws:apigateway/restApiPut:RestApiPut": "service_calls:started_by_body",
        "aws:apigatewayv2/api:Api": "service_calls:started_by_body",
        "aws:apigatewayv2/integration:Integration": "service_calls:http_integration_starts",
        resource_types.SCALABLE_TARGET: "scaling_targets:outside_target_reasons",
        "aws:appsync/dataSource:DataSource": "service_calls:data_source_starts",
        "aws:cfg/remediationConfiguration:RemediationConfiguration": (
            "service_calls:remediation_starts"
        ),
        "aws:codebuild/webhook:Webhook": "named_starts:outside_starts",
        "aws:codepipeline/webhook:Webhook": "named_starts:outside_starts",
        "aws:ec2transitgateway/instanceState:InstanceState": "service_calls:machine_state_starts",
        "aws:glue/trigger:Trigger": "named_starts:outside_starts",
        "aws:imagebuilder/distributionConfiguration:DistributionConfiguration": (
            "named_starts:fast_launch_starts"
        ),
        "aws:cloudwatch/compositeAlarm:CompositeAlarm": "undeclared_starts:alarm_starts",
        "aws:dynamodb/tableReplica:TableReplica": "repeated_charges:table_replica_reasons",
        "aws:efs/replicationConfiguration:ReplicationConfiguration": (
            "repeated_charges:file_system_replica_reasons"
        ),
        "aws:directconnect/gatewayAssociation:GatewayAssociation": "repeated_charges:vpn_reasons",
        "aws:pipes/pipe:Pipe": "service_calls:pipe_starts",
        "aws:sfn/stateMachine:StateMachine": "service_calls:state_machine_starts",
        resource_types.SUBSCRIPTION: "call_prices:address_starts",
        "aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream": "call_prices:address_starts",
        **dict.fromkeys(type_tokens.CALLS_OUT, "call_prices:address_starts"),
        "aws:ssm/association:Association": "service_calls:association_starts",
        "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask": "service_calls:window_starts",
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
        "aws:cloudfront/distribution:Distribution": "public_endpoints:distribution",
        "aws:cloudfront/multitenantDistribution:MultitenantDistribution": (
            "public_endpoints:distribution"
        ),
        "aws:apigateway/domainName:DomainName": "public_endpoints:domain",
        "aws:apigatewayv2/domainName:DomainName": "public_endpoints:http_domain",
        "aws:opensearch/domain:Domain": "public_endpoints:search",
        "aws:elasticsearch/domain:Domain": "public_endpoints:search",
        "aws:elasticbeanstalk/environment:Environment": "beanstalk:environment",
    },
)
"""Types that no observer reads and that answer requests of the internet themselves."""

OBJECTS: Final = frozenset(
    {"aws:s3/bucketObjectv2:BucketObjectv2", "aws:s3/objectCopy:ObjectCopy"}
)
"""Types of objects, which no observer reads and which have an access list of their own."""
