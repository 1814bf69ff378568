"""AWS in the sandbox: a handler per Pulumi type, which calls the moto server by boto3."""

from collections.abc import Mapping

from gpuinfra.sandbox.aws import (
    addresses,
    autoscaling,
    bucket_companions,
    bucket_settings,
    buckets,
    budgets,
    certificates,
    container_registry,
    endpoints,
    events,
    firewall,
    fleets,
    flow_logs,
    functions,
    instance_profiles,
    instances,
    interfaces,
    kms_grants,
    launch_templates,
    listeners,
    load_balancers,
    lustre,
    metric_filters,
    monitoring,
    network,
    objects,
    oidc_providers,
    policies,
    resource_policies,
    roles,
    route_tables,
    scaling_group_parts,
    schedules,
    ssm_documents,
    ssm_parameters_and_keys,
    topics_and_queues,
)
from gpuinfra.sandbox.aws.resource_handler import MotoHandler, ResourceHandler
from gpuinfra.sandbox.plugin.contract import Handler
from gpuinfra.sandbox.plugin.facts import facts

_KINDS: Mapping[str, ResourceHandler] = {
    "aws:acm/certificate:Certificate": certificates.Certificate(),
    "aws:autoscaling/group:Group": autoscaling.ScalingGroup(),
    "aws:autoscaling/lifecycleHook:LifecycleHook": scaling_group_parts.LifecycleHook(),
    "aws:autoscaling/policy:Policy": scaling_group_parts.ScalingPolicy(),
    "aws:autoscaling/schedule:Schedule": scaling_group_parts.ScalingSchedule(),
    "aws:budgets/budget:Budget": budgets.SandboxBudget(),
    "aws:cloudwatch/dashboard:Dashboard": monitoring.Dashboard(),
    "aws:cloudwatch/eventRule:EventRule": events.EventRule(),
    "aws:cloudwatch/eventTarget:EventTarget": events.EventTarget(),
    "aws:cloudwatch/logGroup:LogGroup": monitoring.LogGroup(),
    "aws:cloudwatch/logMetricFilter:LogMetricFilter": metric_filters.LogMetricFilter(),
    "aws:cloudwatch/metricAlarm:MetricAlarm": monitoring.MetricAlarm(),
    "aws:ec2/eip:Eip": addresses.ElasticIp(),
    "aws:ec2/fleet:Fleet": fleets.Fleet(),
    "aws:ec2/flowLog:FlowLog": flow_logs.FlowLog(),
    "aws:ec2/instance:Instance": instances.Instance(),
    "aws:ec2/internetGateway:InternetGateway": network.InternetGateway(),
    "aws:ec2/launchTemplate:LaunchTemplate": launch_templates.LaunchTemplate(),
    "aws:ec2/natGateway:NatGateway": addresses.NatGateway(),
    "aws:ec2/networkInterface:NetworkInterface": interfaces.NetworkInterface(),
    "aws:ec2/route:Route": route_tables.Route(),
    "aws:ec2/routeTable:RouteTable": route_tables.RouteTable(),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": route_tables.RouteTableAssociation(),
    "aws:ec2/securityGroup:SecurityGroup": firewall.SecurityGroup(),
    "aws:ec2/subnet:Subnet": network.Subnet(),
    "aws:ec2/vpc:Vpc": network.Vpc(),
    "aws:ec2/vpcEndpoint:VpcEndpoint": endpoints.VpcEndpoint(),
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": container_registry.RegistryPolicy(
        "lifecycle_policy", "put", "lifecyclePolicyText"
    ),
    "aws:ecr/repository:Repository": container_registry.EcrRepository(),
    "aws:ecr/repositoryPolicy:RepositoryPolicy": container_registry.RegistryPolicy(
        "repository_policy", "set", "policyText"
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": lustre.LustreFileSystem(),
    "aws:iam/instanceProfile:InstanceProfile": instance_profiles.InstanceProfile(),
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": oidc_providers.OpenIdConnectProvider(),
    "aws:iam/policy:Policy": policies.IamPolicy(),
    "aws:iam/role:Role": roles.Role(),
    "aws:iam/rolePolicy:RolePolicy": roles.RolePolicy(),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": roles.RolePolicyAttachment(),
    "aws:iam/serviceLinkedRole:ServiceLinkedRole": oidc_providers.ServiceLinkedRole(),
    "aws:kms/alias:Alias": ssm_parameters_and_keys.KmsAlias(),
    "aws:kms/grant:Grant": kms_grants.KmsGrant(),
    "aws:kms/key:Key": ssm_parameters_and_keys.KmsKey(),
    "aws:lambda/function:Function": functions.LambdaFunction(),
    "aws:lambda/permission:Permission": functions.LambdaPermission(),
    "aws:lb/listener:Listener": listeners.SandboxListener(),
    "aws:lb/loadBalancer:LoadBalancer": load_balancers.LoadBalancer(),
    "aws:lb/targetGroup:TargetGroup": load_balancers.TargetGroup(),
    "aws:s3/bucket:Bucket": buckets.SandboxBucket(),
    "aws:s3/bucketNotification:BucketNotification": bucket_companions.BucketNotification(),
    "aws:s3/bucketObjectv2:BucketObjectv2": objects.BucketObject(),
    "aws:s3/bucketPolicy:BucketPolicy": bucket_settings.BucketPolicy(),
    "aws:scheduler/schedule:Schedule": schedules.Schedule(),
    "aws:scheduler/scheduleGroup:ScheduleGroup": schedules.ScheduleGroup(),
    "aws:sns/topic:Topic": topics_and_queues.Topic(),
    "aws:sns/topicPolicy:TopicPolicy": resource_policies.TopicPolicy(),
    "aws:sns/topicSubscription:TopicSubscription": topics_and_queues.TopicSubscription(),
    "aws:sqs/queue:Queue": topics_and_queues.SandboxQueue(),
    "aws:sqs/queuePolicy:QueuePolicy": resource_policies.QueuePolicy(),
    "aws:ssm/document:Document": ssm_documents.SsmDocument(),
    "aws:ssm/parameter:Parameter": ssm_parameters_and_keys.SsmParameter(),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": firewall.SecurityGroupRule(
        "egress"
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": firewall.SecurityGroupRule(
        "ingress"
    ),
} | {
    f"aws:s3/{name}": bucket_settings.BucketSetting(setting)
    for name, setting in (bucket_settings.SETTINGS | bucket_companions.COMPANIONS).items()
}

HANDLERS: dict[str, Handler] = {token: MotoHandler(kind) for token, kind in _KINDS.items()}

# Types of the tables that are kept in the ledger, and why: an entry goes when moto has the calls.
LEDGER: dict[str, str] = facts("aws", "ledger")
