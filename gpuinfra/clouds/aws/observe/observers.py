"""Who observes which type of AWS, or reads its calls: imported once a stack has its type."""

from collections.abc import Callable, Iterator
from typing import Final

from gpuinfra.clouds.aws.observe import kinds
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.lazy import LazyTable
from gpuinfra.model import Resource, Rows, Unknown, Usage

OBSERVERS: Final = LazyTable[Callable[[Resource, Index, Usage], Rows]](
    "gpuinfra.clouds.aws.observe",
    {
        **dict.fromkeys(kinds.MACHINES, "groups:group_rows"),
        kinds.BATCH: "batch:compute_environment",
        kinds.SCHEDULE: "groups:schedule_rows",
        kinds.RESERVATION: "reservations:reservation_rows",
        kinds.NAT: "services:nat_gateway",
        kinds.EIP: "services:address",
        kinds.BALANCER: "services:load_balancer",
        kinds.ENDPOINT: "services:endpoint",
        kinds.BUCKET: "services:bucket",
        **dict.fromkeys(kinds.ATTACHMENTS, "services:attachment"),
        kinds.PARAMETER: "services:parameter",
        kinds.ACCESS_KEY: "services:access_key",
        kinds.LOGIN: "services:login",
        kinds.SERVICE_LOGIN: "services:service_login",
        kinds.SSH_KEY: "services:ssh_key",
        kinds.CERTIFICATE: "services:certificate",
        **dict.fromkeys((kinds.KEY, *kinds.OTHER_KEYS), "pay_per_call:key"),
        kinds.TOPIC: "pay_per_call:topic",
        kinds.QUEUE: "pay_per_call:queue",
        kinds.BUDGET_ACTION: "pay_per_call:budget_action",
        kinds.FUNCTION: "undeclared_starts:function",
        kinds.CALENDAR: "undeclared_starts:schedule",
        kinds.EVENT_TARGET: "undeclared_starts:event_target",
        kinds.BUCKET_LIFECYCLE: "bucket_costs:lifecycle",
        kinds.BUCKET_ENCRYPTION: "bucket_costs:encryption",
        kinds.BUCKET_COPY: "bucket_costs:copy",
        kinds.EKS_CLUSTER: "containers:eks_cluster",
        kinds.CAPACITY_PROVIDER: "containers:capacity_provider",
        kinds.ECS_SERVICE: "containers:ecs_service",
        kinds.LUSTRE: "lustre:lustre",
        kinds.OPEN_ZFS: "standalone_storage:open_zfs",
        kinds.ELASTIC: "standalone_storage:elastic",
        kinds.VOLUME: "standalone_storage:volume",
        kinds.SNAPSHOT: "standalone_storage:snapshot",
        kinds.LOG_GROUP: "watching:log_group",
        kinds.ALARM: "undeclared_starts:alarm",
        kinds.DASHBOARD: "watching:dashboard",
        kinds.SCALING_POLICY: "watching:scaling_policy",
        kinds.LISTENER: "listeners:listener",
        kinds.CLASSIC_BALANCER: "listeners:classic",
        kinds.POLICY: "grants:policy",
        kinds.ROLE_POLICY: "grants:policy",
        kinds.USER_POLICY: "grants:policy",
        kinds.TEAM_POLICY: "grants:policy",
        kinds.BUCKET_POLICY: "grants:trust",
        kinds.TOPIC_POLICY: "grants:trust",
        kinds.QUEUE_POLICY: "grants:trust",
        kinds.ATTACHED: "grants:attachment",
        kinds.ROLE_ATTACHMENT: "grants:attachment",
        kinds.USER_ATTACHMENT: "grants:attachment_of_people",
        kinds.TEAM_ATTACHMENT: "grants:attachment_of_people",
        kinds.ROLE: "undeclared_starts:role",
        kinds.USER: "grants:holder",
        kinds.TEAM: "grants:holder",
        kinds.PERMISSION: "grants:permission",
        kinds.BUCKET_ACL: "grants:bucket_acl",
        kinds.ROLE_ATTACHMENTS: "grants:attachments",
    },
)

CALLERS: Final = LazyTable[Callable[[Resource, Index], Iterator[str | Unknown]]](
    "gpuinfra.clouds.aws.observe",
    {
        "aws:apigateway/integration:Integration": "calls:of_integration",
        "aws:apigateway/restApi:RestApi": "calls:of_body",
        "aws:apigateway/restApiPut:RestApiPut": "calls:of_body",
        "aws:apigatewayv2/api:Api": "calls:of_body",
        "aws:apigatewayv2/integration:Integration": "calls:of_http_integration",
        "aws:appautoscaling/target:Target": "scaling_targets:of_target",
        "aws:appsync/dataSource:DataSource": "calls:of_data_source",
        "aws:cfg/remediationConfiguration:RemediationConfiguration": "calls:of_remediation",
        "aws:codebuild/webhook:Webhook": "named_starts:of_starter",
        "aws:codepipeline/webhook:Webhook": "named_starts:of_starter",
        "aws:glue/trigger:Trigger": "named_starts:of_starter",
        kinds.COMPOSITE_ALARM: "undeclared_starts:of_alarm",
        kinds.TABLE_REPLICA: "copies:of_table_replica",
        "aws:efs/replicationConfiguration:ReplicationConfiguration": (
            "copies:of_file_system_replica"
        ),
        "aws:directconnect/gatewayAssociation:GatewayAssociation": "copies:of_gateway",
        "aws:pipes/pipe:Pipe": "calls:of_pipe",
        "aws:sfn/stateMachine:StateMachine": "calls:of_states",
        kinds.SUBSCRIPTION: "pay_per_call:of_address",
        "aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream": "pay_per_call:of_address",
        "aws:ssm/association:Association": "calls:of_association",
        "aws:ssm/maintenanceWindowTask:MaintenanceWindowTask": "calls:of_window_task",
    },
)
"""Types without rows of their own that call services or copy, by who reads what they start."""

RIGHTS: Final = {
    kinds.USER_ATTACHMENTS: "policyArns",
    kinds.TEAM_ATTACHMENTS: "policyArns",
    "aws:ssoadmin/managedPolicyAttachment:ManagedPolicyAttachment": "managedPolicyArn",
    "aws:ssoadmin/managedPolicyAttachmentsExclusive:ManagedPolicyAttachmentsExclusive": (
        "managedPolicyArns"
    ),
    "aws:ssoadmin/permissionSetInlinePolicy:PermissionSetInlinePolicy": "inlinePolicy",
    "aws:iot/policy:Policy": "policy",
}
"""Types that no observer reads and that give an identity rights, by the input that has them."""

OBJECTS: Final = frozenset(
    {
        "aws:s3/bucketObject:BucketObject",
        "aws:s3/bucketObjectv2:BucketObjectv2",
        "aws:s3/objectCopy:ObjectCopy",
    }
)
"""Types of objects, which no observer reads and which have an access list of their own."""
