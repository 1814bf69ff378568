"""Resources that are no machine but cost a fixed price: what a cap counts as one."""

import re

import pytest

from gpuinfra.clouds import machineless_types, provider_of
from gpuinfra.clouds.observing.rows import rows_without_machines
from gpuinfra.model import UNKNOWN, Resource
from tests.clouds.sdk_inputs import types_of
from tests.clouds.test_machineless_types import ALWAYS_BILLED, BILLED, ROOMS, TOKENS

SCHEDULED = {"schedules": [{"name": "s", "retainRule": {"count": 24}}]}
KEPT_FAST = {"schedules": [{"name": "s"}, {"fastRestoreRule": {"count": 5}}]}
INGRESS = "kubernetes:networking.k8s.io/v1:Ingress"
OF_NEWER_SDKS = {"gcp:kms/singleTenantHsmInstance:SingleTenantHsmInstance"}
"""What the installed SDK does not have yet, of a family that a row by hand names."""


GATEWAY = "aws:storagegateway/gateway:Gateway"
HOST_NAME = "azure-native:web:WebAppHostNameBinding"
ON_ADDRESS = [{"name": "a.io", "sslState": "SniEnabled"}, {"sslState": "IpBasedEnabled"}]
SOLUTION = "azure-native:operationsmanagement:Solution"
INSIGHTS = "OMSGallery/ContainerInsights"
DEPLOYMENT = "azure-native:cognitiveservices:Deployment"
MODEL = {"properties": {"model": {"format": "OpenAI", "name": "gpt-4o"}}}
TUNED = {"properties": {"model": {"format": "OpenAI", "name": "gpt-4o-mini.ft-a1b2"}}}


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
        ("azure-native:web:AppServicePlan", {"sku": {"name": "Y1"}}, False),
        ("azure-native:web:StaticSite", {"sku": {"name": "Free", "tier": "Free"}}, False),
        ("azure-native:web:StaticSite", {"sku": {"name": "Standard"}}, True),
        ("azure-native:web:StaticSite", {}, True),
        ("azure-native:cognitiveservices:Account", {"sku": {"name": "S0"}}, False),
        ("azure-native:cognitiveservices:Account", {"sku": {"name": "DC0"}}, True),
        (DEPLOYMENT, {"sku": {"name": "GlobalStandard"}, **MODEL}, False),
        (DEPLOYMENT, {"sku": {"name": "ProvisionedManaged"}, **MODEL}, True),
        (DEPLOYMENT, {"sku": {"name": UNKNOWN}, **MODEL}, True),
        (DEPLOYMENT, {"sku": {"name": "Standard"}, **TUNED}, True),
        ("azure-native:web:AppServicePlan", {"sku": {"name": "B1"}}, True),
        ("azure-native:web:AppServicePlan", {"sku": UNKNOWN}, True),
        ("azure-native:web:WebApp", {"serverFarmId": UNKNOWN}, False),
        ("azure-native:web:WebApp", {"identity": {"type": "SystemAssigned"}}, True),
        ("azure-native:web:WebApp", {"managedEnvironmentId": UNKNOWN}, True),
        ("azure-native:web:WebApp", {"functionAppConfig": {}}, True),
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
        (GATEWAY, {"gatewayType": "FILE_FSX_SMB"}, True),
        (GATEWAY, {"gatewayType": "FILE_S3"}, False),
        (GATEWAY, {"gatewayType": UNKNOWN}, True),
        ("aws:timestreamquery/scheduledQuery:ScheduledQuery", {}, True),
        ("gcp:apigee/apiDeployment:ApiDeployment", {}, True),
        ("gcp:apigee/sharedflowDeployment:SharedflowDeployment", {}, True),
        ("gcp:apigee/apiProduct:ApiProduct", {}, False),
        ("gcp:discoveryengine/recommendationEngine:RecommendationEngine", {}, True),
        ("gcp:servicedirectory/service:Service", {}, False),
        ("azure-native:network:DnsForwardingRuleset", {}, False),
        (HOST_NAME, {"sslState": "IpBasedEnabled"}, True),
        (HOST_NAME, {"sslState": "SniEnabled"}, False),
        (HOST_NAME, {}, False),
        ("azure-native:web:WebApp", {"hostNameSslStates": ON_ADDRESS}, True),
        ("azure-native:web:WebAppSlot", {"hostNameSslStates": ON_ADDRESS[:1]}, False),
        ("azure-native:web:WebAppHybridConnection", {}, True),
        ("azure-native:relay:HybridConnection", {}, True),
        ("azure-native:relay:WCFRelay", {}, False),
        ("azure-native:web:WebAppRelayServiceConnectionSlot", {}, True),
        ("azure-native:notificationhubs:NotificationHub", {"sku": {"name": "Standard"}}, True),
        ("azure-native:notificationhubs:NotificationHub", {"sku": {"name": "Free"}}, False),
        (SOLUTION, {"plan": {"product": INSIGHTS, "publisher": "Microsoft"}}, False),
        (SOLUTION, {"plan": {"product": INSIGHTS, "publisher": "Contoso"}}, True),
        (SOLUTION, {"plan": {"product": "OMSGallery/Security", "publisher": "Microsoft"}}, True),
        (SOLUTION, {"plan": UNKNOWN}, True),
        (SOLUTION, {}, True),
    ],
)
def test_what_costs_a_fixed_price_while_it_exists_is_counted_by_a_cap(kind, inputs, billed):
    sku = {"sku": UNKNOWN} if inputs is UNKNOWN else inputs
    resource = Resource(urn="u", type=kind, name="it", inputs=sku)
    (row,) = rows_without_machines(resource, kind, is_known=False).not_judged
    assert row.may_start_machines is billed
    assert (row.reason in {row["why"] for row in BILLED}) is billed


@pytest.mark.slow
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
        token
        for token in clouds
        if provider_of(ROOMS[token.split(":")[0]]).prices.free_type_row(token)
    ] == []
    assert {token for token in ALWAYS_BILLED if token in TOKENS} == set()
    for row in BILLED:
        assert "https://" in row["source"]
        assert row["as_of"] == "undated" or re.fullmatch(r"\d{4}-\d\d-\d\d", row["as_of"])
        listed = [token for token in row["types"] if machineless_types.reason(token)]
        assert not {"unless", "small"} & row.keys() or listed == row["types"]
