"""AWS in the sandbox: a handler per Pulumi type that builds through boto3 in the moto server."""

from gpuinfra.sandbox.aws import (
    addresses,
    autoscaling,
    balancing,
    bucket_settings,
    budgets,
    endpoints,
    firewall,
    instances,
    interfaces,
    listeners,
    messaging,
    monitoring,
    network,
    policies,
    profiles,
    roles,
    routing,
    scaling,
    secrets,
    storage,
    templates,
)
from gpuinfra.sandbox.aws.kind import Kind, MotoHandler
from gpuinfra.sandbox.plugin.contract import Handler

_KINDS: dict[str, Kind] = {
    "aws:autoscaling/group:Group": autoscaling.Group(),
    "aws:autoscaling/lifecycleHook:LifecycleHook": scaling.LifecycleHook(),
    "aws:autoscaling/policy:Policy": scaling.Policy(),
    "aws:budgets/budget:Budget": budgets.Budget(),
    "aws:cloudwatch/dashboard:Dashboard": monitoring.Dashboard(),
    "aws:cloudwatch/logGroup:LogGroup": monitoring.LogGroup(),
    "aws:cloudwatch/metricAlarm:MetricAlarm": monitoring.MetricAlarm(),
    "aws:ec2/eip:Eip": addresses.Eip(),
    "aws:ec2/instance:Instance": instances.Instance(),
    "aws:ec2/internetGateway:InternetGateway": network.InternetGateway(),
    "aws:ec2/launchTemplate:LaunchTemplate": templates.LaunchTemplate(),
    "aws:ec2/natGateway:NatGateway": addresses.NatGateway(),
    "aws:ec2/networkInterface:NetworkInterface": interfaces.NetworkInterface(),
    "aws:ec2/route:Route": routing.Route(),
    "aws:ec2/routeTable:RouteTable": routing.RouteTable(),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": routing.RouteTableAssociation(),
    "aws:ec2/securityGroup:SecurityGroup": firewall.SecurityGroup(),
    "aws:ec2/subnet:Subnet": network.Subnet(),
    "aws:ec2/vpc:Vpc": network.Vpc(),
    "aws:ec2/vpcEndpoint:VpcEndpoint": endpoints.VpcEndpoint(),
    "aws:iam/instanceProfile:InstanceProfile": profiles.InstanceProfile(),
    "aws:iam/policy:Policy": policies.Policy(),
    "aws:iam/role:Role": roles.Role(),
    "aws:iam/rolePolicy:RolePolicy": roles.RolePolicy(),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": roles.RolePolicyAttachment(),
    "aws:kms/alias:Alias": secrets.Alias(),
    "aws:kms/key:Key": secrets.Key(),
    "aws:lb/listener:Listener": listeners.Listener(),
    "aws:lb/loadBalancer:LoadBalancer": balancing.LoadBalancer(),
    "aws:lb/targetGroup:TargetGroup": balancing.TargetGroup(),
    "aws:s3/bucket:Bucket": storage.Bucket(),
    "aws:s3/bucketPolicy:BucketPolicy": bucket_settings.BucketPolicy(),
    "aws:sns/topic:Topic": messaging.Topic(),
    "aws:sns/topicSubscription:TopicSubscription": messaging.TopicSubscription(),
    "aws:sqs/queue:Queue": messaging.Queue(),
    "aws:ssm/parameter:Parameter": secrets.Parameter(),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": firewall.Rule("egress"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": firewall.Rule("ingress"),
} | {
    f"aws:s3/{name}": bucket_settings.BucketSetting(setting)
    for name, setting in bucket_settings.SETTINGS.items()
}

HANDLERS: dict[str, Handler] = {token: MotoHandler(kind) for token, kind in _KINDS.items()}
