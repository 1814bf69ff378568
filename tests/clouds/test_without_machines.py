import json
import os
import re
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

import pytest

from gpuinfra.clouds import CLOUDS, provider_of, without_machines
from gpuinfra.clouds.observing import commands
from gpuinfra.clouds.observing.rows import silent
from gpuinfra.model import UNKNOWN, Resource
from tests.clouds import sdk_inputs

SETS_MACHINES = re.compile(
    r"(?:machine|instance|node)_?(?:type|class|size|count)|accelerator|gpu|(?:^|_)worker|vcpu|"
    r"^cpu(?!_credits)|node_pool|requires_compatib",
    re.IGNORECASE,
)
"""Inputs by which a resource of a row by hand may be or start machines."""

ROOMS = {"aws": "aws", "gcp": "gcp", "azure-native": "azure"}
"""The clouds by the names of their SDKs."""

ABOUT = (
    "Resource types that can neither be nor start a machine by a rule on the inputs of the SDKs, "
    "which none of their inputs meets at any depth: MACHINES in tests/clouds/sdk_inputs.py. "
    "Written by GPUINFRA_GOLDEN=update pytest tests/clouds/test_without_machines.py, which also "
    "compares it with the installed SDKs. In a token {0} is a name with a small first letter, "
    "{1} the name."
)
DOCS = "https://www.pulumi.com/registry/packages/{}/api-docs/{}/"
SCHEDULED = {"schedules": [{"name": "s", "retainRule": {"count": 24}}]}
KEPT_FAST = {"schedules": [{"name": "s"}, {"fastRestoreRule": {"count": 5}}]}
INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
BY_HAND = json.loads(without_machines.TABLE.read_text())["rows"]
TOKENS = frozenset(token for row in BY_HAND for token in row["types"])
OF_NEWER_SDKS = {"gcp:kms/singleTenantHsmInstance:SingleTenantHsmInstance"}
"""What the installed SDK does not have yet, of a family that a row by hand names."""

BILLED = json.loads(without_machines.BILLED.read_text())["rows"]
ALWAYS_BILLED = {
    token for row in BILLED if not {"unless", "small"} & row.keys() for token in row["types"]
}
TYPES = [token for row in without_machines.rows() for token in row["types"]]


@cache
def types_of(cloud):
    return tuple(sdk_inputs.types_of(cloud))


def is_told_elsewhere(token, cloud):
    """Whether a type is observed, has a row that it is free, a reason against it, or a row."""
    provider = provider_of(ROOMS[cloud])
    family = f"{token[: token.rfind('/') + 1]}*"
    return (
        token in provider.observe.TYPES
        or provider.observe.canonical(token) in provider.observe.TYPES
        or provider.prices.free(token) is not None
        or token in without_machines._hidden()
        or bool({token, family} & TOKENS)
        or token in ALWAYS_BILLED
    )


def passing(cloud):
    """By service, the types that the rule lets pass, among those of the services listed."""
    services = {name for names in sdk_inputs.SERVICES[cloud].values() for name in names.split()}
    by_module = {}
    for token, inputs, formerly in types_of(cloud):
        if sdk_inputs.module_of(token) not in services or token in sdk_inputs.EXCEPT:
            continue
        if sdk_inputs.machine_inputs(inputs):
            continue
        for name in (token, *formerly):
            if not is_told_elsewhere(name, cloud):
                by_module.setdefault(sdk_inputs.module_of(name), set()).add(name)
    return by_module


def table_of(cloud, as_of):
    why = {
        service: words
        for words, services in sdk_inputs.SERVICES[cloud].items()
        for service in services.split()
    }
    return [
        {
            "why": why.get(service, "settings under a former name of their service"),
            "source": f"inputs in {sdk_inputs.version_of(cloud)}: {DOCS.format(cloud, service)}",
            "as_of": as_of,
            "token": f"{cloud}:{service}:{{1}}"
            if cloud == "azure-native"
            else f"{cloud}:{service}/{{0}}:{{1}}",
            "names": " ".join(sorted(token.rpartition(":")[2] for token in tokens)),
        }
        for service, tokens in sorted(passing(cloud).items())
    ]


@pytest.mark.slow
def test_the_table_is_what_the_rule_lets_pass_in_the_installed_sdks():
    shown = json.loads(without_machines.BY_SCHEMA.read_text())
    update = os.environ.get("GPUINFRA_GOLDEN") == "update"
    as_of = f"{datetime.now(UTC):%Y-%m-%d}" if update else shown["rows"][0]["as_of"]
    rows = [row for cloud in ROOMS for row in table_of(cloud, as_of)]
    if update:
        lines = ",\n".join(json.dumps(row) for row in rows)
        without_machines.BY_SCHEMA.write_text(
            f'{{\n "about": {json.dumps(ABOUT)},\n "rows": [\n{lines}\n ]\n}}\n'
        )
        return
    assert shown["about"] == ABOUT
    assert shown["rows"] == rows


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"bucket", "description", "minimum_size"}, ()),
        ({"country_code", "core_network_id", "organizational_unit_id"}, ()),
        ({"instance_type"}, ("instance_type",)),
        ({"bundle_id", "desired_nodes"}, ("bundle_id", "desired_nodes")),
        ({"template_body"}, ("template_body",)),
        ({"containers", "cpu"}, ("containers", "cpu")),
        ({"startup_script", "user_data"}, ("startup_script", "user_data")),
        ({"sku", "num_gpus"}, ("num_gpus", "sku")),
    ],
)
def test_an_input_that_may_set_machines_is_met_by_the_rule(names, expected):
    assert sdk_inputs.machine_inputs(frozenset(names)) == expected


@pytest.mark.slow
def test_the_inputs_of_a_type_are_read_at_any_depth():
    inputs = {token: names for token, names, _ in types_of("aws")}
    assert "encrypted" in inputs["aws:ec2/instance:Instance"]
    assert "accelerator_count" in inputs["aws:autoscaling/group:Group"]
    assert len(inputs) > 1500
    assert sum(map(bool, inputs.values())) > 1500


@pytest.mark.slow
def test_each_exception_is_a_type_that_the_rule_would_let_pass():
    inputs = {token: names for cloud in ROOMS for token, names, _ in types_of(cloud)}
    assert [token for token in sdk_inputs.EXCEPT if token not in inputs] == []
    assert [token for token in sdk_inputs.EXCEPT if sdk_inputs.machine_inputs(inputs[token])] == []
    assert [token for token in sdk_inputs.EXCEPT if without_machines.reason(token)] == []


@pytest.mark.parametrize(
    "token",
    [token for token in sorted(TOKENS) if token.startswith(("aws:", "gcp:")) and "/" in token],
)
def test_no_input_of_a_type_by_hand_sets_machines(token):
    cloud, service, name = re.split("[:/]", token)[:3]
    listed = {
        known: inputs
        for known, inputs, _ in types_of(cloud)
        if known == token or (name == "*" and sdk_inputs.module_of(known) == service)
    }
    assert name == "*" or listed
    assert {
        (known, name)
        for known, inputs in listed.items()
        for name in inputs
        if SETS_MACHINES.search(name)
    } == set()


GRANT = re.compile(json.loads(without_machines.TABLE.read_text())["families"][0]["pattern"])
OF_A_GRANT = {
    *("member", "members", "policy_data", "role"),
    *("condition", "expression", "title", "description"),
}
"""What every type of a grant has besides the names of what the right is on."""


@pytest.mark.slow
def test_a_type_of_the_family_of_grants_has_who_what_and_where():
    grants = {token: names for token, names, _ in types_of("gcp") if GRANT.fullmatch(token)}
    assert len(grants) > 300
    for token, names in grants.items():
        assert names & {"member", "members", "policy_data"}, token
        assert not [name for name in names - OF_A_GRANT if SETS_MACHINES.search(name)], token


@pytest.mark.parametrize(
    ("token", "harmless"),
    [
        ("gcp:cloudrunv2/jobIamMember:JobIamMember", True),
        ("gcp:vertex/aiEndpointIamMember:AiEndpointIamMember", True),
        ("gcp:dataproc/clusterIAMBinding:ClusterIAMBinding", True),
        ("gcp:compute/targetPool:TargetPool", True),
        ("gcp:dataproc/cluster:Cluster", False),
        ("gcp:gkehub/featureMembership:FeatureMembership", False),
        ("azure-native:authorization:PolicyDefinition", True),
        ("azure-native:machinelearningservices:Workspace", True),
        ("azure-native:machinelearningservices:Compute", False),
        ("azure-native:machinelearningservices:Job", False),
    ],
)
def test_ordinary_types_hold_no_machine(token, harmless):
    assert bool(without_machines.reason(token)) is harmless


def test_no_listed_type_is_known_to_start_machines():
    reasons = set(without_machines._hidden())

    assert {token for token in reasons if without_machines.reason(token)} == set()


def test_a_type_stands_once_and_names_its_source():
    assert len(TYPES) == len(set(TYPES))
    for row in without_machines.rows():
        assert "https://" in row["source"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["as_of"])
    free = [provider_of(cloud).prices.free(token) for cloud in CLOUDS for token in TYPES]
    assert not any(free)


@pytest.mark.parametrize(
    ("token", "listed"),
    [
        ("aws:s3/bucketObject:BucketObject", True),
        ("random:index/randomPassword:RandomPassword", True),
        ("azure-native:storage:Blob", True),
        ("tls:index:PrivateKey", True),
        ("azure:core/resourceGroup:ResourceGroup", True),
        ("azure:compute/linuxVirtualMachine:LinuxVirtualMachine", False),
        ("kubernetes:rbac.authorization.k8s.io/v1:Role", True),
        ("aws:eks/accessEntry:AccessEntry", True),
        ("aws:ssoadmin/permissionSet:PermissionSet", True),
        ("aws:codebuild/webhook:Webhook", True),
        ("aws:codedeploy/deploymentGroup:DeploymentGroup", False),
        ("aws:imagebuilder/imageRecipe:ImageRecipe", True),
        ("aws:imagebuilder/imagePipeline:ImagePipeline", False),
        ("aws:iot/thing:Thing", True),
        ("aws:iot/topicRule:TopicRule", False),
        ("aws:bedrock/guardrail:Guardrail", True),
        ("aws:dms/replicationConfig:ReplicationConfig", False),
        ("aws:ssoadmin/permissionSetInlinePolicy:PermissionSetInlinePolicy", True),
        ("aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig", True),
        ("aws:lambda/invocation:Invocation", False),
        ("aws:ec2/defaultCreditSpecification:DefaultCreditSpecification", True),
        ("aws:ecs/accountSettingDefault:AccountSettingDefault", True),
        ("aws:elb/attachment:Attachment", True),
        ("aws:rds/proxyTarget:ProxyTarget", True),
        ("aws:globalaccelerator/listener:Listener", True),
        ("aws:sagemaker/appImageConfig:AppImageConfig", True),
        ("aws:glue/job:Job", False),
        ("aws:cfg/conformancePack:ConformancePack", False),
        ("gcp:compute/networkFirewallPolicy:NetworkFirewallPolicy", True),
        ("azure-native:network:VirtualNetworkPeering", True),
        ("aws:eks/addon:Addon", True),
        ("aws:eks/fargateProfile:FargateProfile", False),
        ("aws:eks/nodeGroup:NodeGroup", False),
        ("aws:efs/mountTarget:MountTarget", True),
        ("aws:ec2/vpnGateway:VpnGateway", True),
        ("aws:ec2/instance:Instance", False),
        ("aws:ec2/dedicatedHost:DedicatedHost", False),
        ("aws:sagemaker/model:Model", True),
        ("aws:sagemaker/endpoint:Endpoint", False),
        ("aws:cloudformation/stack:Stack", False),
        ("aws:batch/computeEnvironment:ComputeEnvironment", False),
        ("aws:bedrock/provisionedModelThroughput:ProvisionedModelThroughput", False),
        ("gcp:compute/sSLCertificate:SSLCertificate", True),
        ("gcp:compute/snapshot:Snapshot", True),
        ("gcp:compute/instanceFromMachineImage:InstanceFromMachineImage", False),
        ("gcp:bigquery/dataset:Dataset", True),
        ("gcp:bigquery/reservation:Reservation", False),
        ("gcp:tpu/v2Vm:V2Vm", False),
        ("gcp:dataproc/cluster:Cluster", False),
        ("azure-native:privatedns:PrivateZone", True),
        ("azure-native:network:Zone", True),
        ("azure-native:insights:MetricAlert", True),
        ("azure-native:authorization:PolicyAssignment", True),
        ("azure-native:network:BastionHost", False),
        ("azure-native:resources:Deployment", False),
        ("azure-native:machinelearningservices:Compute", False),
        ("azure-native:batch:Pool", False),
        ("kubernetes:core/v1:Service", True),
        ("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition", True),
        ("kubernetes:node.k8s.io/v1:RuntimeClass", True),
        ("kubernetes:autoscaling/v2:HorizontalPodAutoscaler", False),
        ("kubernetes:karpenter.sh/v1:NodePool", False),
        ("kubernetes:core/v1:Pod", False),
        ("github:index/actionsHostedRunner:ActionsHostedRunner", False),
        ("command:local:Command", False),
        ("kubernetes:apps/v1:Deployment", False),
        ("aws:s3outposts/endpoint:Endpoint", False),
        ("aws:appsync/apiCache:ApiCache", False),
        ("aws:rds/instance:Instance", False),
        ("runpod:index:Pod", False),
        ("", False),
    ],
)
def test_a_type_is_found_by_its_name_or_its_family(token, listed):
    assert bool(without_machines.reason(token)) is listed


@pytest.mark.parametrize(
    ("kind", "inputs", "billed"),
    [
        ("aws:shield/subscription:Subscription", {}, True),
        ("aws:shield/protection:Protection", {}, False),
        ("aws:ec2/vpnConnection:VpnConnection", {}, True),
        ("aws:globalaccelerator/accelerator:Accelerator", {}, True),
        ("aws:vpclattice/service:Service", {}, True),
        ("aws:kinesis/streamConsumer:StreamConsumer", {}, True),
        ("aws:route53/profilesProfile:ProfilesProfile", {}, True),
        ("aws:msk/vpcConnection:VpcConnection", {}, True),
        ("aws:ec2transitgateway/peeringAttachmentAccepter:PeeringAttachmentAccepter", {}, True),
        ("aws:networkmanager/transitGatewayPeering:TransitGatewayPeering", {}, True),
        ("aws:cloudwatch/internetMonitor:InternetMonitor", {}, True),
        ("aws:networkmonitor/probe:Probe", {}, True),
        ("aws:networkmonitor/monitor:Monitor", {}, False),
        ("aws:sesv2/dedicatedIpPool:DedicatedIpPool", {"scalingMode": "MANAGED"}, True),
        ("aws:sesv2/dedicatedIpPool:DedicatedIpPool", {}, False),
        ("aws:wafv2/webAcl:WebAcl", {"rules": [{"name": "a"}] * 8}, False),
        ("aws:wafv2/webAcl:WebAcl", {"rules": [{"name": "a"}] * 300}, True),
        ("aws:wafv2/webAcl:WebAcl", {"ruleJson": "[]"}, True),
        ("aws:ec2/vpcEncryptionControl:VpcEncryptionControl", {}, True),
        ("aws:eks/addon:Addon", {"addonName": "vpc-cni"}, False),
        ("aws:eks/addon:Addon", {"addonName": "amazon-cloudwatch-observability"}, False),
        ("aws:eks/addon:Addon", {"addonName": "datadog_operator"}, True),
        ("aws:eks/addon:Addon", {"addonName": UNKNOWN}, True),
        ("aws:dlm/lifecyclePolicy:LifecyclePolicy", {"policyDetails": SCHEDULED}, False),
        ("aws:dlm/lifecyclePolicy:LifecyclePolicy", {"policyDetails": KEPT_FAST}, True),
        (
            "aws:dlm/lifecyclePolicy:LifecyclePolicy",
            {"policyDetails": KEPT_FAST, "state": "DISABLED"},
            False,
        ),
        ("aws:dlm/lifecyclePolicy:LifecyclePolicy", {"policyDetails": UNKNOWN}, True),
        ("aws:lambda/eventSourceMapping:EventSourceMapping", {"batchSize": 9}, False),
        (
            "aws:lambda/eventSourceMapping:EventSourceMapping",
            {"provisionedPollerConfig": {"minimumPollers": 200}},
            True,
        ),
        ("aws:acm/certificate:Certificate", {"domainName": "a.io"}, False),
        ("aws:acm/certificate:Certificate", {"options": {"export": "ENABLED"}}, True),
        (
            "aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream",
            {"opensearchConfiguration": {"vpcConfig": {"subnetIds": ["a"]}}},
            True,
        ),
        ("aws:kinesis/firehoseDeliveryStream:FirehoseDeliveryStream", {}, False),
        ("aws:directconnect/connection:Connection", {"bandwidth": "100Gbps"}, True),
        ("aws:directconnect/gateway:Gateway", {}, False),
        ("aws:ebs/fastSnapshotRestore:FastSnapshotRestore", {}, True),
        ("aws:route53/resolverEndpoint:ResolverEndpoint", {}, True),
        ("aws:route53/resolverRule:ResolverRule", {}, False),
        ("aws:apigateway/stage:Stage", {}, False),
        ("aws:apigateway/stage:Stage", {"cacheClusterEnabled": False}, False),
        ("aws:apigateway/stage:Stage", {"cacheClusterEnabled": True}, True),
        ("aws:apigateway/stage:Stage", {"cacheClusterEnabled": UNKNOWN}, True),
        (
            "aws:cloudfront/distribution:Distribution",
            {"viewerCertificate": {"sslSupportMethod": "vip"}},
            True,
        ),
        (
            "aws:cloudfront/distribution:Distribution",
            {"viewerCertificate": {"sslSupportMethod": "sni-only"}},
            False,
        ),
        ("aws:cloudfront/distribution:Distribution", {"viewerCertificate": UNKNOWN}, True),
        ("gcp:networksecurity/firewallEndpoint:FirewallEndpoint", {}, True),
        ("gcp:networkservices/gateway:Gateway", {"type": "SECURE_WEB_GATEWAY"}, True),
        ("gcp:networkservices/gateway:Gateway", {"type": "OPEN_MESH"}, False),
        ("gcp:networkservices/gateway:Gateway", {}, True),
        ("gcp:kms/singleTenantHsmInstance:SingleTenantHsmInstance", {}, True),
        ("gcp:compute/interconnectAttachment:InterconnectAttachment", {}, True),
        ("gcp:compute/vPNTunnel:VPNTunnel", {}, True),
        ("gcp:compute/attachedDisk:AttachedDisk", {}, False),
        ("gcp:compute/resourcePolicyAttachment:ResourcePolicyAttachment", {}, False),
        ("gcp:compute/instanceGroupMembership:InstanceGroupMembership", {}, False),
        ("gcp:compute/routerPeer:RouterPeer", {}, False),
        ("gcp:compute/instanceIAMBinding:InstanceIAMBinding", {}, False),
        ("gcp:iap/tunnelInstanceIAMBinding:TunnelInstanceIAMBinding", {}, False),
        ("gcp:pubsub/topicIAMMember:TopicIAMMember", {}, False),
        ("gcp:cloudidentity/groupMembership:GroupMembership", {}, False),
        ("gcp:vertex/aiEndpoint:AiEndpoint", {}, False),
        ("azure-native:network:DdosProtectionPlan", {}, True),
        ("azure-native:network:ExpressRoutePort", {}, True),
        ("azure-native:servicebus:Namespace", {}, False),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Standard"}}, False),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Premium"}}, True),
        ("azure-native:servicebus:Namespace", {"sku": {"name": UNKNOWN}}, True),
        ("azure-native:eventhub:Namespace", {"sku": {"name": "standard"}}, False),
        ("azure-native:eventhub:Namespace", {"sku": {"tier": "Premium"}}, True),
        ("azure-native:eventhub:Namespace", UNKNOWN, True),
        ("azure-native:eventhub:Namespace", {"sku": {"name": "Standard", "capacity": 40}}, True),
        ("azure-native:eventhub:Namespace", {"sku": {"name": "Standard", "capacity": 2}}, False),
        ("azure-native:eventhub:EventHub", {"messageRetentionInDays": 1}, False),
        ("azure-native:eventhub:EventHub", {"captureDescription": {"enabled": False}}, False),
        ("azure-native:eventhub:EventHub", {"captureDescription": {"enabled": True}}, True),
        ("azure-native:eventhub:EventHub", {"captureDescription": UNKNOWN}, True),
        ("azure-native:sql:FailoverGroup", {"databases": ["/s/prod/databases/big"]}, True),
        ("azure-native:sql:FailoverGroup", {"databases": UNKNOWN}, True),
        ("azure-native:sql:FailoverGroup", {"databases": [UNKNOWN]}, True),
        ("azure-native:sql:FailoverGroup", {"databases": []}, False),
        ("azure-native:sql:FailoverGroup", {}, False),
        ("azure-native:compute:GalleryImageVersion", {}, False),
        (
            "azure-native:compute:GalleryImageVersion",
            {"publishingProfile": {"targetRegions": [{"name": "a", "regionalReplicaCount": 50}]}},
            True,
        ),
        ("aws:dynamodb/table:Table", {"readCapacity": 5, "writeCapacity": 5}, False),
        ("aws:dynamodb/table:Table", {"readCapacity": 5, "writeCapacity": 40_000}, True),
        ("aws:dynamodb/table:Table", {"writeCapacity": UNKNOWN}, True),
        ("aws:dynamodb/table:Table", {"writeCapacity": "many"}, True),
        (
            "aws:dynamodb/table:Table",
            {"billingMode": "PAY_PER_REQUEST", "writeCapacity": UNKNOWN},
            False,
        ),
        ("aws:dynamodb/table:Table", {"globalSecondaryIndexes": [{"readCapacity": 9_000}]}, True),
        ("aws:dynamodb/table:Table", {"globalSecondaryIndexes": [{"readCapacity": 5}]}, False),
        ("aws:dynamodb/table:Table", {"globalSecondaryIndexes": UNKNOWN}, True),
        ("aws:dynamodb/table:Table", {"readCapacity": 750, "writeCapacity": 150}, False),
        (
            "aws:dynamodb/table:Table",
            {"readCapacity": 750, "replicas": [{"regionName": "eu-west-1"}, {}, {}]},
            True,
        ),
        ("aws:dynamodb/table:Table", {"readCapacity": 5, "replicas": [{}, {}]}, False),
        ("aws:dynamodb/table:Table", {"readCapacity": 5, "replicas": UNKNOWN}, True),
        (
            "aws:dynamodb/globalSecondaryIndex:GlobalSecondaryIndex",
            {"provisionedThroughput": {"writeCapacityUnits": 40_000}},
            True,
        ),
        (
            "aws:appautoscaling/target:Target",
            {
                "serviceNamespace": "dynamodb",
                "scalableDimension": "dynamodb:index:WriteCapacityUnits",
                "minCapacity": 1,
                "maxCapacity": 200_000,
            },
            True,
        ),
        (
            "aws:appautoscaling/target:Target",
            {
                "serviceNamespace": "dynamodb",
                "scalableDimension": "dynamodb:table:ReadCapacityUnits",
                "minCapacity": 5,
                "maxCapacity": 1_500,
            },
            False,
        ),
        ("aws:appautoscaling/target:Target", {"serviceNamespace": "ecs", "minCapacity": 9}, False),
        ("aws:kinesis/stream:Stream", {"shardCount": 1_000}, True),
        ("aws:kinesis/stream:Stream", {"streamModeDetails": {"streamMode": "ON_DEMAND"}}, True),
        ("aws:kinesis/stream:Stream", {}, False),
        (
            "azure-native:documentdb:SqlResourceSqlContainer",
            {"options": {"throughput": 1_000_000}},
            True,
        ),
        (
            "azure-native:documentdb:SqlResourceSqlContainer",
            {"options": {"autoscaleSettings": {"maxThroughput": 1_000}}},
            False,
        ),
        (
            "azure-native:cosmosdb:DatabaseAccountSqlDatabase",
            {"options": {"throughput": "1000000"}},
            True,
        ),
        ("azure-native:cosmosdb:SqlResourceSqlDatabase", {"options": UNKNOWN}, True),
        ("azure-native:storage:FileShare", {"shareQuota": 1024}, False),
        ("azure-native:storage:FileShare", {"shareQuota": 102_400}, True),
        ("azure-native:storage:FileShare", {"accessTier": "Premium", "shareQuota": 100}, True),
        ("azure-native:storage:FileShare", {"provisionedIops": 5000}, True),
        (
            "azure-native:storage:FileShare",
            {"enabledProtocols": "NFS", "shareQuota": 100},
            True,
        ),
        ("azure-native:storage:FileShare", {}, True),
        (
            "azure-native:storage:FileShare",
            {"accessTier": "Hot", "shareQuota": 102_400},
            False,
        ),
        ("gcp:compute/securityPolicy:SecurityPolicy", {"rules": [{}] * 2}, False),
        ("gcp:compute/securityPolicy:SecurityPolicy", {"rules": [{}] * 300}, True),
        ("gcp:networkconnectivity/regionalEndpoint:RegionalEndpoint", {}, True),
        (INGRESS, {"metadata": {"name": "x"}, "spec": {"defaultBackend": {}}}, True),
        (INGRESS, {"spec": {"ingressClassName": "gce-internal"}}, True),
        (INGRESS, {"spec": {"ingressClassName": "alb"}}, True),
        (INGRESS, {"spec": {"ingressClassName": UNKNOWN}}, True),
        (INGRESS, {"spec": UNKNOWN}, True),
        (INGRESS, {"metadata": {"annotations": {"kubernetes.io/ingress.class": "gce"}}}, True),
        (INGRESS, {"metadata": {"annotations": {"kubernetes.io/ingress.class": "nginx"}}}, False),
        (INGRESS, {"spec": {"ingressClassName": "nginx"}}, False),
        ("azure-native:cdn:Profile", {"sku": {"name": "Premium_AzureFrontDoor"}}, True),
        ("azure-native:cdn:Profile", {"sku": {"name": "Standard_AzureFrontDoor"}}, True),
        ("azure-native:frontdoor:FrontDoor", {"routingRules": [{"name": "a"}]}, True),
        ("azure-native:network:FrontDoor", {}, True),
        ("azure-native:frontdoor:RulesEngine", {}, False),
        ("azure-native:network:NetworkManager", {}, True),
        ("azure-native:network:NetworkGroup", {}, False),
        ("azure-native:network:VpnConnection", {}, True),
        ("azure-native:network:ExpressRouteConnection", {}, True),
        ("azure-native:network:VpnSite", {}, False),
        ("azure-native:containerregistry:ConnectedRegistry", {}, True),
        ("azure-native:containerregistry:Webhook", {}, False),
        ("azure-native:sql:ServerSecurityAlertPolicy", {"state": "Enabled"}, True),
        ("azure-native:sql:ServerSecurityAlertPolicy", {"state": "Disabled"}, False),
        ("azure-native:cdn:Profile", {"sku": {"name": "Standard_Microsoft"}}, False),
        (
            "azure-native:operationalinsights:Workspace",
            {"sku": {"name": "CapacityReservation", "capacityReservationLevel": 500}},
            True,
        ),
        ("azure-native:operationalinsights:Workspace", {"sku": {"name": "PerGB2018"}}, False),
    ],
)
def test_what_costs_a_fixed_price_while_it_exists_is_counted_by_a_cap(kind, inputs, billed):
    sku = {"sku": UNKNOWN} if inputs is UNKNOWN else inputs
    resource = Resource(urn="u", type=kind, name="it", inputs=sku)
    (row,) = silent(resource, kind, known=False).not_judged
    assert row.may_start_machines is billed
    assert (row.reason in {row["why"] for row in BILLED}) is billed


def test_each_type_with_a_fixed_price_is_one_of_the_sdks_without_a_price_or_machines():
    inputs = {
        name for cloud in ROOMS for token, _, old in types_of(cloud) for name in (token, *old)
    }
    billed = [token for row in BILLED for token in row["types"]]
    assert len(billed) == len(set(billed))
    clouds = [token for token in billed if token.split(":")[0] in ROOMS]
    assert {token for token in clouds if token not in inputs} == OF_NEWER_SDKS
    assert {token for token in billed if token not in clouds} <= TOKENS
    assert [
        token for token in clouds if provider_of(ROOMS[token.split(":")[0]]).prices.free(token)
    ] == []
    assert {token for token in ALWAYS_BILLED if token in TOKENS} == set()
    for row in BILLED:
        assert "https://" in row["source"]
        assert row["as_of"] == "undated" or re.fullmatch(r"\d{4}-\d\d-\d\d", row["as_of"])
        listed = [token for token in row["types"] if without_machines.reason(token)]
        assert not {"unless", "small"} & row.keys() or listed == row["types"]


@pytest.mark.parametrize(
    ("inputs", "harmless"),
    [
        ({"create": "echo done && sleep 30"}, True),
        ({"create": "mkdir -p out; touch out/a", "delete": "rm -r out"}, True),
        ({"create": "sudo chmod 600 key"}, True),
        ({"create": "sudo apt-get install -y jq"}, False),
        ({"create": "cp fleet.sh /usr/local/bin/ls; ls"}, False),
        ({"create": "mkdir a # don't\naws ec2 run-instances\necho ok # it's up"}, False),
        ({"create": "echo C:\\\\\naws ec2 run-instances"}, False),
        ({"create": "ls () ( aws ec2 run-instances )\nls"}, False),
        ({"create": "tar -cf a --checkpoint-action=exec='aws ec2 run-instances' b"}, False),
        ({"create": "echo '* * * * * root aws ec2 run-instances' > /etc/cron.d/x"}, False),
        ({"create": "PATH=./bin ls"}, False),
        ({"create": "ls", "environment": {"PATH": "./bin"}}, False),
        ({"create": "echo a | tee b"}, False),
        ({"create": "aws ec2 run-instances --image-id ami-1"}, False),
        ({"create": "echo a\naws ec2 run-instances"}, False),
        ({"create": "echo a&aws ec2 run-instances"}, False),
        ({"create": "echo $(aws ec2 run-instances)"}, False),
        ({"create": "echo `aws ec2 run-instances`"}, False),
        ({"create": "REGION=a aws ec2 run-instances"}, False),
        ({"create": "cat launch | bash"}, False),
        ({"create": "./launch.sh"}, False),
        ({"create": "echo 'a"}, False),
        ({"create": "echo a", "update": "gcloud compute instances create a"}, False),
        ({"create": "echo a", "interpreter": ["python", "-c"]}, False),
        ({"create": "cat", "stdin": "a"}, False),
        ({"create": UNKNOWN}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("kind", sorted(commands.KINDS))
def test_a_command_is_left_out_of_caps_where_it_calls_no_cloud(kind, inputs, harmless):
    resource = Resource(urn="u", type=kind, name="it", inputs=inputs)
    (row,) = silent(resource, kind, known=False).not_judged
    assert row.may_start_machines is not harmless


@pytest.mark.parametrize(
    ("kind", "inputs", "cost"),
    [
        (
            "aws:dynamodb/table:Table",
            {
                "readCapacity": 100,
                "globalSecondaryIndexes": [{"writeCapacity": 10}, {"writeCapacity": "10"}],
                "replicas": [{"regionName": "eu-west-1"}],
            },
            "0.09756",
        ),
        ("aws:dynamodb/table:Table", {"billingMode": "PAY_PER_REQUEST"}, "0"),
        ("aws:dynamodb/table:Table", {"readCapacity": 40_000}, "0"),
        ("aws:secretsmanager/secret:Secret", {}, "0.00055"),
        ("aws:secretsmanager/secret:Secret", {"replicas": [{"region": "a"}] * 2}, "0.00165"),
        (
            "aws:wafv2/webAcl:WebAcl",
            {"rules": [{"statement": {"managedRuleGroupStatement": {"name": "a"}}}, {}]},
            "0.02329",
        ),
        ("aws:route53/profilesAssociation:ProfilesAssociation", {}, "0.0014"),
        ("azure-native:storage:FileShare", {"shareQuota": 512}, "0.135168"),
        (
            "azure-native:documentdb:SqlResourceSqlContainer",
            {"options": {"throughput": 400}, "timesMore": 1},
            "0.064",
        ),
        (
            "azure-native:compute:GalleryImageVersion",
            {"publishingProfile": {"targetRegions": [{"regionalReplicaCount": 5}] * 4}},
            "0.2",
        ),
        ("gcp:compute/securityPolicy:SecurityPolicy", {"rules": [{}] * 150}, "0.21235"),
        ("gcp:compute/securityPolicyRule:SecurityPolicyRule", {}, "0.00137"),
        ("kubernetes:core/v1:Service", {"spec": {"type": "NodePort"}}, "0"),
        ("aws:s3/bucketObject:BucketObject", {}, "0"),
    ],
)
def test_what_a_small_one_costs_at_most_is_told(kind, inputs, cost):
    assert without_machines.charge(kind, inputs) == Decimal(cost)
