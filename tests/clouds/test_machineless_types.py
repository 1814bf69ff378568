"""Resource types that can neither be nor start a machine: the list, and the SDKs behind it."""

import json
import os
import re
from datetime import UTC, datetime

import pytest

from gpuinfra.clouds import CLOUDS, machineless_types, provider_of
from gpuinfra.clouds.azure.observe.resource_types import DATABASE_RULES
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
    "Written by GPUINFRA_GOLDEN=update pytest tests/clouds/test_machineless_types.py, which also "
    "compares it with the installed SDKs. In a token {0} is a name with a small first letter, "
    "{1} the name."
)
DOCS = "https://www.pulumi.com/registry/packages/{}/api-docs/{}/"
BY_HAND = json.loads(machineless_types.TABLE.read_text())["rows"]
TOKENS = frozenset(token for row in BY_HAND for token in row["types"])

BILLED = json.loads(machineless_types.BILLED_TABLE.read_text())["rows"]
ALWAYS_BILLED = {
    token for row in BILLED if not {"unless", "small"} & row.keys() for token in row["types"]
}
TYPES = [token for row in machineless_types.rows() for token in row["types"]]


def is_told_elsewhere(token, cloud):
    """Whether a type is observed, has a row that it is free, a reason against it, or a row."""
    provider = provider_of(ROOMS[cloud])
    family = f"{token[: token.rfind('/') + 1]}*"
    return (
        token in provider.observe.TYPES
        or provider.observe.canonical(token) in provider.observe.TYPES
        or provider.prices.free_type_row(token) is not None
        or token in machineless_types._hidden_type_reasons()
        or bool({token, family} & TOKENS)
        or token in ALWAYS_BILLED
    )


def passing(cloud):
    """By service, the types that the rule lets pass, among those of the services listed."""
    services = {name for names in sdk_inputs.SERVICES[cloud].values() for name in names.split()}
    by_module = {}
    for token, inputs, formerly in sdk_inputs.types_of(cloud):
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
    shown = json.loads(machineless_types.SCHEMA_TABLE.read_text())
    update = os.environ.get("GPUINFRA_GOLDEN") == "update"
    as_of = f"{datetime.now(UTC):%Y-%m-%d}" if update else shown["rows"][0]["as_of"]
    rows = [row for cloud in ROOMS for row in table_of(cloud, as_of)]
    if update:
        lines = ",\n".join(json.dumps(row) for row in rows)
        machineless_types.SCHEMA_TABLE.write_text(
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
    inputs = {token: names for token, names, _ in sdk_inputs.types_of("aws")}
    assert "encrypted" in inputs["aws:ec2/instance:Instance"]
    assert "accelerator_count" in inputs["aws:autoscaling/group:Group"]
    assert len(inputs) > 1500
    assert sum(map(bool, inputs.values())) > 1500


@pytest.mark.slow
def test_each_exception_is_a_type_that_the_rule_would_let_pass():
    inputs = {token: names for cloud in ROOMS for token, names, _ in sdk_inputs.types_of(cloud)}
    assert [token for token in sdk_inputs.EXCEPT if token not in inputs] == []
    assert [token for token in sdk_inputs.EXCEPT if sdk_inputs.machine_inputs(inputs[token])] == []
    assert [token for token in sdk_inputs.EXCEPT if machineless_types.reason(token)] == []


@pytest.mark.slow
@pytest.mark.parametrize("cloud", ["aws", "gcp"])
def test_no_input_of_a_type_by_hand_sets_machines(cloud):
    for token in (token for token in TOKENS if token.startswith(f"{cloud}:") and "/" in token):
        _, service, name = re.split("[:/]", token)[:3]
        listed = {
            known: inputs
            for known, inputs, _ in sdk_inputs.types_of(cloud)
            if known == token or (name == "*" and sdk_inputs.module_of(known) == service)
        }
        assert name == "*" or listed, token
        assert {
            (known, name)
            for known, inputs in listed.items()
            for name in inputs
            if SETS_MACHINES.search(name)
        } == set()


GRANT, FIREWALL_RULE, APPROVAL, *_ = (
    re.compile(row["pattern"])
    for row in json.loads(machineless_types.TABLE.read_text())["families"]
)
OF_A_GRANT = {
    *("member", "members", "policy_data", "role"),
    *("condition", "expression", "title", "description"),
}
"""What every type of a grant has besides the names of what the right is on."""


@pytest.mark.slow
def test_a_type_of_the_family_of_grants_has_who_what_and_where():
    types = sdk_inputs.types_of("gcp")
    grants = {token: names for token, names, _ in types if GRANT.fullmatch(token)}
    assert len(grants) > 300
    for token, names in grants.items():
        assert names & {"member", "members", "policy_data"}, token
        assert not [name for name in names - OF_A_GRANT if SETS_MACHINES.search(name)], token


@pytest.mark.slow
def test_a_type_of_the_family_of_firewall_rules_has_addresses_and_names():
    types = sdk_inputs.types_of("azure-native")
    rules = {token: names for token, names, _ in types if FIREWALL_RULE.fullmatch(token)}
    former = {name for token, _, formerly in types if token in rules for name in formerly}
    assert rules.keys() | former >= DATABASE_RULES
    for token, names in rules.items():
        addresses = {name for name in names if re.search(r"_i_?p(?:v6)?(?:_|$)|_fqdn$", name)}
        others = {name for name in names - addresses if not re.search(r"(?:^|_)name$", name)}
        assert addresses, token
        assert others <= {"description", "properties"}, token


@pytest.mark.slow
def test_a_type_of_the_family_of_approvals_has_the_state_of_a_connection():
    types = sdk_inputs.types_of("azure-native")
    approvals = {token: names for token, names, _ in types if APPROVAL.fullmatch(token)}
    assert len(approvals) > 70
    for token, names in approvals.items():
        assert {"private_link_service_connection_state", "status"} <= names, token
        assert not [name for name in names if SETS_MACHINES.search(name)], token


@pytest.mark.parametrize(
    ("token", "harmless"),
    [
        ("aws:amplify/app:App", True),
        ("aws:amplify/branch:Branch", True),
        ("aws:controltower/baseline:Baseline", False),  # it deploys into each account
        ("aws:controltower/controlTowerControl:ControlTowerControl", True),
        ("gcp:discoveryengine/searchEngine:SearchEngine", True),
        ("gcp:discoveryengine/recommendationEngine:RecommendationEngine", False),  # it trains
        ("aws:sagemaker/deviceFleet:DeviceFleet", False),
        ("aws:dms/endpoint:Endpoint", True),
        ("aws:dms/replicationInstance:ReplicationInstance", False),
        ("aws:directoryservice/trust:Trust", True),
        ("aws:directoryservice/directory:Directory", False),
        ("aws:ssmincidents/responsePlan:ResponsePlan", False),  # it runs automations
        ("aws:bedrock/agentcoreGateway:AgentcoreGateway", False),  # it may call any API
        ("gcp:datastream/stream:Stream", True),
        ("gcp:datastream/connectionProfile:ConnectionProfile", True),
        ("gcp:databasemigrationservice/connectionProfile:ConnectionProfile", False),
        ("gcp:identityplatform/oauthIdpConfig:OauthIdpConfig", True),
        ("gcp:firestore/database:Database", True),
        ("gcp:spanner/instance:Instance", False),
        ("azure-native:automation:Credential", True),
        ("azure-native:automation:SourceControl", False),  # it brings runbooks
        ("azure-native:app:DaprComponent", True),
        ("azure-native:web:WebAppApplicationSettings", True),
        ("azure-native:web:WebAppHostNameBindingSlot", True),
        ("azure-native:web:WebAppFunction", False),
        ("azure-native:storage:PrivateEndpointConnection", True),
        ("azure-native:web:WebAppPrivateEndpointConnectionSlot", True),
        ("azure-native:containerservice:AutoUpgradeProfile", False),
        ("azure-native:synapse:Workspace", False),
        ("azure-native:synapse:IpFirewallRule", True),
        ("azure-native:cache:FirewallRule", True),
        ("azure-native:synapse:BigDataPool", False),
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
        ("azure-native:storagecache:AutoExportJob", True),
        ("azure-native:storagecache:Cache", False),
        ("azure-native:automation:AutomationAccount", True),
        ("azure-native:automation:HybridRunbookWorker", False),
        ("aws:fsx/openZfsVolume:OpenZfsVolume", True),
        ("aws:fsx/ontapFileSystem:OntapFileSystem", False),
        ("gcp:networksecurity/addressGroup:AddressGroup", True),
        ("gcp:osconfig/osPolicyAssignment:OsPolicyAssignment", True),
        ("kubernetes:networking.istio.io/v1:VirtualService", True),
        ("kubernetes:security.istio.io/v1beta1:PeerAuthentication", True),
        ("kubernetes:install.istio.io/v1alpha1:IstioOperator", False),
        ("kubernetes:traefik.io/v1alpha1:IngressRoute", True),
        ("kubernetes:cilium.io/v2:CiliumNetworkPolicy", True),
        ("kubernetes:templates.gatekeeper.sh/v1:ConstraintTemplate", True),
        ("kubernetes:mutations.gatekeeper.sh/v1:Assign", False),
        ("kubernetes:kyverno.io/v1:ClusterPolicy", False),
        ("kubernetes:grafana.integreatly.org/v1beta1:GrafanaDashboard", True),
        ("kubernetes:grafana.integreatly.org/v1beta1:Grafana", False),
        ("kubernetes:external-secrets.io/v1:ExternalSecret", True),
        ("kubernetes:external-secrets.io/v1beta1:ExternalSecret", True),
        ("kubernetes:velero.io/v1:BackupStorageLocation", True),
        ("kubernetes:velero.io/v1:Restore", False),
        ("kubernetes:argoproj.io/v1alpha1:AppProject", True),
        ("kubernetes:argoproj.io/v1alpha1:Application", False),
        ("kubernetes:nfd.k8s-sigs.io/v1alpha1:NodeFeatureRule", True),
        ("kubernetes:vpcresources.k8s.aws/v1beta1:SecurityGroupPolicy", True),
        ("kubernetes:metallb.io/v1beta1:IPAddressPool", True),
        ("kubernetes:kueue.x-k8s.io/v1beta1:ResourceFlavor", True),
        ("kubernetes:resource.k8s.io/v1beta1:DeviceClass", True),
        ("kubernetes:snapshot.storage.k8s.io/v1:VolumeSnapshotClass", True),
        ("kubernetes:snapshot.storage.k8s.io/v1:VolumeSnapshot", False),
    ],
)
def test_ordinary_types_hold_no_machine(token, harmless):
    assert bool(machineless_types.reason(token)) is harmless


def test_no_listed_type_is_known_to_start_machines():
    reasons = set(machineless_types._hidden_type_reasons())

    assert {token for token in reasons if machineless_types.reason(token)} == set()


def test_a_type_stands_once_and_names_its_source():
    assert len(TYPES) == len(set(TYPES))
    for row in machineless_types.rows():
        assert "https://" in row["source"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["as_of"])
    free = [provider_of(cloud).prices.free_type_row(token) for cloud in CLOUDS for token in TYPES]
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
        ("kubernetes:networking.k8s.io/v1:IngressPatch", False),  # it may make a balancer
        ("kubernetes:networking.gke.io/v1beta1:FrontendConfig", True),
        ("kubernetes:gateway.k8s.aws/v1beta1:LoadBalancerConfiguration", True),
        ("kubernetes:gateway.networking.k8s.io/v1:Gateway", False),
        ("kubernetes:cert-manager.io/v1:Certificate", False),
        ("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition", True),
        ("kubernetes:node.k8s.io/v1:RuntimeClass", True),
        ("kubernetes:autoscaling/v2:HorizontalPodAutoscaler", False),
        ("kubernetes:karpenter.sh/v1:NodePool", False),
        ("kubernetes:core/v1:Pod", False),
        ("github:index/actionsHostedRunner:ActionsHostedRunner", False),
        ("pulumiservice:index:StackTag", True),
        ("pulumiservice:index:DeploymentSchedule", False),
        ("pulumiservice:api/deployments:Settings", False),
        ("github:index/workflowRepositoryPermissions:WorkflowRepositoryPermissions", True),
        ("cloudflare:index/workersKvNamespace:WorkersKvNamespace", True),
        ("auth0:index/client:Client", True),
        ("auth0:index/action:Action", False),
        ("datadog:index/monitor:Monitor", True),
        ("datadog:index/workflowAutomation:WorkflowAutomation", False),
        ("cloudflare:index/dnsRecord:DnsRecord", True),
        ("cloudflare:index/workersScript:WorkersScript", False),
        ("vault:index/mount:Mount", True),
        ("vault:index/pluginRuntime:PluginRuntime", False),
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
    assert bool(machineless_types.reason(token)) is listed
