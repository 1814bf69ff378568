"""How AWS's ids, ARNs and computed outputs look for resources that live in the ledger."""

from collections.abc import Mapping
from typing import Any

from gpuinfra.sandbox.plugin import forms
from gpuinfra.sandbox.plugin.contract import Call
from gpuinfra.sandbox.plugin.schema import ResourceType

ACCOUNT = "123456789012"

# Ids whose form in data/aws.json is in words.
_IDS: dict[str, str] = {
    "aws:budgets/budgetAction:BudgetAction": "<account>:<uuid>:<budgetName>",
    "aws:cloudwatch/eventRule:EventRule": "<name>",
    "aws:cloudwatch/eventTarget:EventTarget": "<rule>-<targetId>",
    "aws:ec2/route:Route": "r-<routeTableId><10 hex>",
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider": (
        "arn:aws:iam::<account>:oidc-provider/<url>"
    ),
    "aws:iam/policy:Policy": "arn:aws:iam::<account>:policy/<name>",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": "<role>-<26 hex>",
    "aws:iam/serviceLinkedRole:ServiceLinkedRole": (
        "arn:aws:iam::<account>:role/aws-service-role/<awsServiceName>/AWSServiceRole<8 hex>"
    ),
    "aws:kms/alias:Alias": "<name>",
    "aws:kms/grant:Grant": "<keyId>:<64 hex>",
    "aws:kms/key:Key": "<uuid>",
    "aws:lb/listener:Listener": "<loadBalancerArn>/<16 hex>",
    "aws:lb/loadBalancer:LoadBalancer": (
        "arn:aws:elasticloadbalancing:<region>:<account>:loadbalancer/app/<name>/<16 hex>"
    ),
    "aws:s3/bucket:Bucket": "<bucket>",
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": "<bucket>",
    "aws:s3/bucketLogging:BucketLogging": "<bucket>",
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration": "<bucket>",
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": (
        "<bucket>"
    ),
    "aws:s3/bucketVersioning:BucketVersioning": "<bucket>",
    "aws:sns/topicSubscription:TopicSubscription": "<topic>:<uuid>",
}

# ARN per type; an id that is an ARN already is its own. Source: the resource types tables of the
# Service Authorization Reference (docs.aws.amazon.com/service-authorization).
_ARNS: dict[str, str] = {
    "aws:autoscaling/group:Group": (
        "arn:aws:autoscaling:<region>:<account>:autoScalingGroup:<uuid>"
        ":autoScalingGroupName/<name>"
    ),
    "aws:autoscaling/policy:Policy": (
        "arn:aws:autoscaling:<region>:<account>:scalingPolicy:<uuid>"
        ":autoScalingGroupName/<autoscalingGroupName>:policyName/<name>"
    ),
    "aws:budgets/budget:Budget": "arn:aws:budgets::<account>:budget/<name>",
    "aws:cloudwatch/compositeAlarm:CompositeAlarm": (
        "arn:aws:cloudwatch:<region>:<account>:alarm:<alarmName>"
    ),
    "aws:cloudwatch/eventRule:EventRule": "arn:aws:events:<region>:<account>:rule/<name>",
    "aws:cloudwatch/logGroup:LogGroup": "arn:aws:logs:<region>:<account>:log-group:<name>",
    "aws:cloudwatch/metricAlarm:MetricAlarm": (
        "arn:aws:cloudwatch:<region>:<account>:alarm:<name>"
    ),
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": (
        "arn:aws:ec2:<region>:<account>:capacity-reservation/<id>"
    ),
    "aws:ec2/capacityReservation:CapacityReservation": (
        "arn:aws:ec2:<region>:<account>:capacity-reservation/<id>"
    ),
    "aws:ec2/eip:Eip": "arn:aws:ec2:<region>:<account>:elastic-ip/<id>",
    "aws:ec2/fleet:Fleet": "arn:aws:ec2:<region>:<account>:fleet/<id>",
    "aws:ec2/flowLog:FlowLog": "arn:aws:ec2:<region>:<account>:vpc-flow-log/<id>",
    "aws:ec2/instance:Instance": "arn:aws:ec2:<region>:<account>:instance/<id>",
    "aws:ec2/internetGateway:InternetGateway": (
        "arn:aws:ec2:<region>:<account>:internet-gateway/<id>"
    ),
    "aws:ec2/launchTemplate:LaunchTemplate": (
        "arn:aws:ec2:<region>:<account>:launch-template/<id>"
    ),
    "aws:ec2/networkInterface:NetworkInterface": (
        "arn:aws:ec2:<region>:<account>:network-interface/<id>"
    ),
    "aws:ec2/placementGroup:PlacementGroup": (
        "arn:aws:ec2:<region>:<account>:placement-group/<name>"
    ),
    "aws:ec2/routeTable:RouteTable": "arn:aws:ec2:<region>:<account>:route-table/<id>",
    "aws:ec2/securityGroup:SecurityGroup": "arn:aws:ec2:<region>:<account>:security-group/<id>",
    "aws:ec2/subnet:Subnet": "arn:aws:ec2:<region>:<account>:subnet/<id>",
    "aws:ec2/vpc:Vpc": "arn:aws:ec2:<region>:<account>:vpc/<id>",
    "aws:ec2/vpcEndpoint:VpcEndpoint": "arn:aws:ec2:<region>:<account>:vpc-endpoint/<id>",
    "aws:ecr/repository:Repository": "arn:aws:ecr:<region>:<account>:repository/<name>",
    "aws:eks/cluster:Cluster": "arn:aws:eks:<region>:<account>:cluster/<name>",
    "aws:eks/nodeGroup:NodeGroup": (
        "arn:aws:eks:<region>:<account>:nodegroup/<clusterName>/<nodeGroupName>/<uuid>"
    ),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": (
        "arn:aws:fsx:<region>:<account>:association/<fileSystemId>/<id>"
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": (
        "arn:aws:fsx:<region>:<account>:file-system/<id>"
    ),
    "aws:iam/instanceProfile:InstanceProfile": "arn:aws:iam::<account>:instance-profile/<name>",
    "aws:iam/role:Role": "arn:aws:iam::<account>:role/<name>",
    "aws:kms/alias:Alias": "arn:aws:kms:<region>:<account>:<name>",
    "aws:kms/key:Key": "arn:aws:kms:<region>:<account>:key/<id>",
    "aws:lambda/function:Function": "arn:aws:lambda:<region>:<account>:function:<name>",
    "aws:s3/bucket:Bucket": "arn:aws:s3:::<bucket>",
    "aws:s3/bucketObjectv2:BucketObjectv2": "arn:aws:s3:::<bucket>/<key>",
    "aws:scheduler/schedule:Schedule": "arn:aws:scheduler:<region>:<account>:schedule/<id>",
    "aws:scheduler/scheduleGroup:ScheduleGroup": (
        "arn:aws:scheduler:<region>:<account>:schedule-group/<name>"
    ),
    "aws:sqs/queue:Queue": "arn:aws:sqs:<region>:<account>:<name>",
    "aws:ssm/document:Document": "arn:aws:ssm:<region>:<account>:document/<name>",
    "aws:ssm/parameter:Parameter": "arn:aws:ssm:<region>:<account>:parameter/<name>",
}

# Other computed outputs that programs read.
_MORE: dict[str, dict[str, Any]] = {
    "aws:budgets/budgetAction:BudgetAction": {"status": "STANDBY"},
    "aws:cloudwatch/dashboard:Dashboard": {
        "dashboardArn": "arn:aws:cloudwatch::<account>:dashboard/<dashboardName>"
    },
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 1, "defaultVersion": 1},
    "aws:ec2/placementGroup:PlacementGroup": {"placementGroupId": "pg-<17 hex>"},
    "aws:fsx/lustreFileSystem:LustreFileSystem": {
        "dnsName": "<id>.fsx.<region>.amazonaws.com",
        "mountName": "<8 hex>",
    },
    "aws:iam/policy:Policy": {"policyId": "ANPA<16 hex>"},
    "aws:iam/role:Role": {"uniqueId": "AROA<16 hex>"},
    "aws:kms/key:Key": {"keyId": "<id>"},
    "aws:s3/bucket:Bucket": {"bucketDomainName": "<bucket>.s3.amazonaws.com"},
    "aws:sns/topic:Topic": {"arn": "<id>"},
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {"securityGroupRuleId": "<id>"},
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {"securityGroupRuleId": "<id>"},
}

# Inputs that AWS makes up when they are unset and that an id is made of.
_FILLED: dict[str, dict[str, str]] = {
    "aws:cloudwatch/eventTarget:EventTarget": {"targetId": "terraform-<26 hex>"},
    "aws:lambda/permission:Permission": {"statementId": "terraform-<26 hex>"},
    "aws:scheduler/schedule:Schedule": {"groupName": "default"},
}

# Outputs that an update of other inputs changes: the note of the type in data/aws.json.
_GROWS = {"aws:ec2/launchTemplate:LaunchTemplate": "latestVersion"}


def changing(token: str) -> tuple[str, ...]:
    """Outputs that are unknown until an update is done."""
    return (_GROWS[token],) if token in _GROWS else ()


def created(kind: ResourceType, call: Call) -> tuple[str, dict[str, Any]]:
    """The id and the outputs of a new resource in the ledger."""
    values = _context(call) | _filled(call) | call.inputs
    resource_id = forms.fill(_IDS.get(call.token, kind.id_form), values)
    return resource_id, _outputs(kind, call, {**values, "id": resource_id})


def updated(
    kind: ResourceType, call: Call, resource_id: str, old: Mapping[str, Any]
) -> dict[str, Any]:
    """The outputs after an update: computed ones keep their value, what grows grows by one."""
    kept = {key: old[key] for key in kind.computed if key in old}
    kept |= {key: old[key] for key in kind.provider_fills if key in old}
    outputs = _outputs(kind, call, {**_context(call), **kept, **call.inputs, "id": resource_id})
    outputs |= {key: value for key, value in kept.items() if key not in ("tagsAll", *call.inputs)}
    for key in changing(call.token):
        outputs[key] = int(old.get(key, 1)) + 1
    return outputs


def _context(call: Call) -> dict[str, Any]:
    return {"account": ACCOUNT, "accountId": ACCOUNT, "region": call.region}


def _filled(call: Call) -> dict[str, Any]:
    forms_of = _FILLED.get(call.token, {})
    return {key: forms.fill(form, {}) for key, form in forms_of.items()}


def _outputs(kind: ResourceType, call: Call, values: dict[str, Any]) -> dict[str, Any]:
    outputs = {key: values[key] for key in _FILLED.get(call.token, {})} | dict(call.inputs)
    known = {"ownerId": ACCOUNT, "region": call.region, "tagsAll": call.inputs.get("tags") or {}}
    outputs |= {
        key: value for key, value in known.items() if _has(kind, key) and key not in outputs
    }
    if "arn" in kind.computed:
        form = "<id>" if values["id"].startswith("arn:") else _ARNS.get(call.token)
        if form:
            outputs["arn"] = forms.fill(form, values)
    for key, form in _MORE.get(call.token, {}).items():
        outputs.setdefault(key, forms.fill(form, values) if isinstance(form, str) else form)
    return outputs


def _has(kind: ResourceType, key: str) -> bool:
    return key in kind.computed or key in kind.inputs
