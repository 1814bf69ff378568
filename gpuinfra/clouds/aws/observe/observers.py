"""The observer and caller functions by AWS type, imported once a stack has the type."""

from collections.abc import Callable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Unknown, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.aws.observe",
    {
        **dict.fromkeys(resource_types.MACHINES, "groups:group_rows"),
        resource_types.BATCH: "batch:compute_environment",
        resource_types.SCHEDULE: "group_schedules:schedule_rows",
        resource_types.RESERVATION: "reservations:reservation_rows",
        resource_types.NAT: "service_costs:nat_gateway",
        resource_types.EIP: "service_costs:address",
        resource_types.BALANCER: "service_costs:load_balancer",
        resource_types.ENDPOINT: "service_costs:endpoint",
        resource_types.BUCKET: "service_costs:bucket",
        **dict.fromkeys(resource_types.ATTACHMENTS, "service_costs:attachment"),
        resource_types.PARAMETER: "service_costs:parameter",
        resource_types.ACCESS_KEY: "service_costs:access_key",
        resource_types.LOGIN: "service_costs:login",
        resource_types.SERVICE_LOGIN: "service_costs:service_login",
        resource_types.SSH_KEY: "service_costs:ssh_key",
        resource_types.CERTIFICATE: "service_costs:certificate",
        **dict.fromkeys((resource_types.KEY, *resource_types.OTHER_KEYS), "pay_per_call:kms_key"),
        resource_types.TOPIC: "pay_per_call:topic",
        resource_types.QUEUE: "pay_per_call:queue",
        resource_types.BUDGET_ACTION: "pay_per_call:budget_action",
        resource_types.FUNCTION: "undeclared_starts:function",
        resource_types.CALENDAR: "undeclared_starts:schedule",
        resource_types.EVENT_TARGET: "undeclared_starts:event_target",
        resource_types.BUCKET_LIFECYCLE: "bucket_costs:lifecycle",
        resource_types.BUCKET_ENCRYPTION: "bucket_costs:encryption",
        resource_types.BUCKET_COPY: "bucket_costs:copy",
        resource_types.EKS_CLUSTER: "containers:eks_cluster",
        resource_types.CAPACITY_PROVIDER: "containers:capacity_provider",
        resource_types.ECS_SERVICE: "containers:ecs_service",
        resource_types.LUSTRE: "lustre:lustre",
        resource_types.OPEN_ZFS: "standalone_storage:open_zfs",
        resource_types.ELASTIC: "standalone_storage:elastic",
        resource_types.VOLUME: "standalone_storage:volume",
        resource_types.SNAPSHOT: "standalone_storage:snapshot",
        resource_types.LOG_GROUP: "cloudwatch:log_group",
        resource_types.ALARM: "undeclared_starts:alarm",
        resource_types.DASHBOARD: "cloudwatch:dashboard",
        resource_types.SCALING_POLICY: "cloudwatch:scaling_policy",
        resource_types.LISTENER: "listeners:listener",
        resource_types.CLASSIC_BALANCER: "listeners:classic",
        resource_types.POLICY: "grants:policy",
        resource_types.ROLE_POLICY: "grants:policy",
        resource_types.USER_POLICY: "grants:policy",
        resource_types.TEAM_POLICY: "grants:policy",
        resource_types.BUCKET_POLICY: "grants:trust",
        resource_types.TOPIC_POLICY: "grants:trust",
        resource_types.QUEUE_POLICY: "grants:trust",
        resource_types.ATTACHED: "grants:attachment",
        resource_types.ROLE_ATTACHMENT: "grants:attachment",
        resource_types.USER_ATTACHMENT: "grants:attachment_of_people",
        resource_types.TEAM_ATTACHMENT: "grants:attachment_of_people",
        resource_types.ROLE: "undeclared_starts:role",
        resource_types.USER: "grants:holder",
        resource_types.TEAM: "grants:holder",
        resource_types.PERMISSION: "grants:permission",
        resource_types.BUCKET_ACL: "grants:bucket_acl",
        resource_types.ROLE_ATTACHMENTS: "grants:attachments",
    },
)

TYPES: Final = frozenset(OBSERVERS) | resource_types.FACTS | frozenset(resource_types.TODAY)
"""Every token that is judged."""

CALLERS: Final = LazyTable[Callable[[Resource, Index], Iterator[str | Unknown]]](
    "gpuinfra.clouds.aws.observe",
    {
        "aws:apigateway/integration:Integration": "service_calls:of_integration",
        "aws:apigateway/restApi:RestApi": "service_calls:started_by_body",
        "aws:apigateway/restApiPut:RestApiPut": "service_calls:started_by_body",
        "aws:apigatewayv2/api:Api": "service_calls:started_by_body",
        "aws:apigatewayv2/integration:Integration": "service_calls:of_http_integration",
        "aws:appautoscaling/target:Target": "scaling_targets:of_target",
        "aws:appsync/dataSource:DataSource": "service_calls:of_data_source",
        "aws:cfg/remediationConfiguration:RemediationConfiguration": (
            "service_calls:of_remediation"
        ),
        "aws:codebuild/webhook:Webhook": "named_starts:of_starter",
        "aws:codepipeline/webhook:Webhook": "named_starts:of_starter",
        "aws:ec2transitgateway/instanceState:InstanceState": "service_calls:of_machine_state",
        "aws:glue/trigger:Trigger": "named_starts:of_starter",
        "aws:imagebuilder/distributionConfiguration:DistributionConfiguration": (
            "named_starts:of_fast_launch"
        ),
        resource_types.COMPOSITE_ALARM: "undeclared_starts:of_alarm",
        resource_types.TABLE_REPLICA: "repeated_charges:of_table_replica",
        "aws:efs/replicationConfiguration:ReplicationConfiguration": (
            "repeated_charges:of_file_system_replica"
        ),
        "aws:directconnect/gatewayAssociation:GatewayAssociation": "repeated_charges:of_gateway",
        "aws:pipes/pipe:Pipe": "service_calls:of_pipe",
        "aws:sfn/stateMachine:StateMachine": "service_calls:of_states",
        resource_types.SUBSCRIPTION: "pay_per_call:of_address",
        "aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream": "pay_per_call:of_address",
        "aws:ssm/association:Association": "service_calls:of_association",
        "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask": "service_calls:of_window_task",
    },
)
"""Types without rows of their own that call services or copy, by who reads what they start."""

RIGHTS: Final = {
    resource_types.USER_ATTACHMENTS: "policyArns",
    resource_types.TEAM_ATTACHMENTS: "policyArns",
    "aws:ssoadmin/managedPolicyAttachment:ManagedPolicyAttachment": "managedPolicyArn",
    "aws:ssoadmin/managedPolicyAttachmentsExclusive:ManagedPolicyAttachmentsExclusive": (
        "managedPolicyArns"
    ),
    "aws:ssoadmin/permissionSetInlinePolicy:PermissionSetInlinePolicy": "inlinePolicy",
    "aws:iot/policy:Policy": "policy",
}
"""Types that no observer reads and that give an identity rights, by the input that has them."""

FRONTS: Final = LazyTable[Callable[[Resource], Rows]](
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
    {
        "aws:s3/bucketObject:BucketObject",
        "aws:s3/bucketObjectv2:BucketObjectv2",
        "aws:s3/objectCopy:ObjectCopy",
    }
)
"""Types of objects, which no observer reads and which have an access list of their own."""
