"""The inputs of every resource type of the installed SDKs, and which types can hold no machine.

The rule reads names alone: a type is left out as soon as one input, at any depth, may be a machine
type, a size of compute, an accelerator, a number of nodes, a container, a script or a program. It
is asked of services that a person has read the list of, so that a new service is never let pass.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_CLASS: Final = re.compile(
    r"^class (\w+Args)\b.*?:\n    def __init__\(__self__(?:, \*,\n(.*?))?\):",
    re.MULTILINE | re.DOTALL,
)
_INPUT: Final = re.compile(r"^ +(\w+): (.*?),?$", re.MULTILINE)
_NESTED: Final = re.compile(r"'(?:\w+\.)?(\w+Args)'")
_TOKEN: Final = re.compile(r"super\([^)]*\)\.__init__\(\s*'([^']+)'")
_FORMERLY: Final = re.compile(r'type_="(azure-native:[a-z]+:\w+)"')
_VERSION: Final = re.compile(r"v\d{8}\w*")

MACHINES: Final = re.compile(
    r"""(?:^|_)(?:
    (?:virtual_?)?machines?|instances?|vms?|nodes?|fleets?|workers?|brokers?|replicas?
    |hosts?(?=_(?:type|sku|group|count|profile|pool|id))
    |servers?(?=_(?:type|class|count|size|profile))
    |accelerators?|gpus?|v?_?cpus?|ocpus?|cores?|computes?|runtimes?|environment_class
    |skus?|editions?|bundles?|tiers?|shape|flavou?r|units?|capacity|capacities
    |provisioned|throughput|package
    |scripts?|commands?|user_data|cloud_init|bootstrap|entry_?points?
    |containers?|images?_?uris?|docker|code|templates?
    |notebooks?|jobs?|workflows?|pipelines?|stages|tasks?
    )(?:_|$)|^(?:size|count|plan|family|program)$""",
    re.VERBOSE,
)
"""Names of inputs by which a type may be, hold or start a machine."""

NEUTRAL: Final = re.compile(
    r"(?:country|error|status|response|promotion|icmp|quota|service)_code|core_network|time_unit"
    r"|organizational_unit|identity_center_instance_arn|^instance_arn$|^accelerator_arn$|postal_code"
    r"|^db_instance_identifier$|require_instance_properties|runtime_version_arn|update_runtime_on"
)
"""Names that look like it and are not: a code that is a number, a place in an organization, and
what names one thing that stands: IAM Identity Center, an accelerator, a database."""

SERVICES: Final[Mapping[str, Mapping[str, str]]] = {
    "aws": {
        "a network, a connection to it, an address or a filter of its traffic": (
            "ec2 vpc ec2transitgateway ec2clientvpn networkmanager directconnect "
            "globalaccelerator route53domains route53profiles vpclattice networkfirewall "
            "networkmonitor networkflowmonitor ram lb alb"
        ),
        "an identity, a right or a key": (
            "iam identitystore organizations account accessanalyzer rolesanywhere "
            "verifiedpermissions acmpca kms"
        ),
        "a copy of data, who may use files, or a rule on keeping them": (
            "efs backup glacier s3tables ebs"
        ),
        "a finding, an audit or a filter for security": (
            "guardduty securityhub inspector inspector2 macie macie2 detective shield waf "
            "wafregional auditmanager securitylake signer"
        ),
        "a metric, a message or a sum of costs": (
            "amp grafana oam rum applicationinsights devopsguru costexplorer cur bcmdata "
            "costoptimizationhub notifications chatbot schemas codestarnotifications"
        ),
        "a catalogue, a query, or a setting of a database, which is another type": (
            "athena lakeformation dataexchange keyspaces rds docdb neptune memorydb elasticache "
            "redshift msk opensearch"
        ),
        "a repository, a setting or a document that others use": (
            "codecommit codeartifact codestarconnections codeconnections appconfig servicequotas "
            "resourceexplorer resourcegroups ssm ssmcontacts eks"
        ),
        "a setting, a rule or a right beside what another type runs": (
            "lambda ecs elb glue codebuild cfg mq computeoptimizer fms billing ssoadmin"
        ),
    },
    "gcp": {
        "a network, a connection to it, an address or a filter of its traffic": (
            "compute servicenetworking certificatemanager networksecurity networkservices "
            "networkconnectivity networkmanagement"
        ),
        "an identity, a right, a policy or a key": (
            "accesscontextmanager binaryauthorization certificateauthority folder iap "
            "identityplatform kms orgpolicy serviceusage"
        ),
        "a catalogue, a table or a document": (
            "bigquery bigqueryanalyticshub bigquerydatapolicy datacatalog firestore firebaserules "
            "sourcerepo"
        ),
        "a finding, a feed, a bill or a name of clusters that stand": (
            "billing cloudasset securitycenter gkehub apphub"
        ),
    },
    "azure-native": {
        "a network, a connection to it, a name or a filter of its traffic": (
            "network dns privatedns trafficmanager cdn frontdoor"
        ),
        "an identity, a right, a policy or a key": (
            "authorization managedidentity keyvault management attestation"
        ),
        "a copy of a disk, a key of it, or who may use it": "compute storage dataprotection",
        "a message, a topic or a setting of them": (
            "eventgrid eventhub servicebus relay notificationhubs communication appconfiguration"
        ),
        "a log, a metric, an alert or a sum of costs": (
            "monitor applicationinsights operationalinsights alertsmanagement costmanagement "
            "consumption portal securityinsights"
        ),
        "a setting or a part of a database, an API or a cluster, which is another type": (
            "apimanagement cosmosdb sql dbforpostgresql dbformysql containerregistry "
            "containerservice"
        ),
    },
}
"""The services whose types the rule is asked of, by cloud and by what they are."""

EXCEPT: Final[Mapping[str, str]] = {
    "aws:athena/capacityReservation:CapacityReservation": "processors, billed by the hour",
    "aws:backup/restoreTestingPlan:RestoreTestingPlan": "restores machines to test backups",
    "aws:backup/restoreTestingSelection:RestoreTestingSelection": "names machines to restore",
    "aws:eks/fargateProfile:FargateProfile": "pods start on Fargate by it",
    "aws:computeoptimizer/recommendationPreferences:RecommendationPreferences": (
        "metrics of each machine, billed by the hour"
    ),
    "aws:glue/catalog:Catalog": "may have a warehouse of its own",
    "aws:glue/catalogTableOptimizer:CatalogTableOptimizer": "runs on processors of its own",
    "aws:lambda/functionScalingConfig:FunctionScalingConfig": "keeps environments on machines",
    "aws:lambda/invocation:Invocation": "calls a function, which may be of another stack",
    "aws:msk/serverlessCluster:ServerlessCluster": "a cluster of brokers",
    "aws:rds/customDbEngineVersion:CustomDbEngineVersion": "an image of machines, by manifest",
    "aws:rds/instanceDesiredState:InstanceDesiredState": "starts a database",
    "aws:rds/proxy:Proxy": "billed by the processors behind it",
    "aws:redshift/partner:Partner": "another company's service",
    "aws:ssm/association:Association": "runs documents",
    "aws:ssm/quicksetupConfigurationManager:QuicksetupConfigurationManager": "deploys stacks",
    "azure-native:network:ExpressRouteGateway": "a gateway, sized by scale units",
    "azure-native:network:VirtualApplianceSite": "an appliance, which is a machine",
    "azure-native:network:VirtualNetworkAppliance": "an appliance, which is a machine",
    "azure-native:network:VirtualRouter": "a gateway",
    "azure-native:portal:Console": "a shell in a container",
    "azure-native:portal:ConsoleWithLocation": "a shell in a container",
    "azure-native:securityinsights:AutomationRule": "runs playbooks",
    "azure-native:sql:VirtualCluster": "holds managed instances",
    "gcp:networksecurity/ullMirroringCollector:UllMirroringCollector": "holds appliances",
    "gcp:networksecurity/ullMirroringEngine:UllMirroringEngine": "an appliance",
}
"""Types of these services that the rule would let pass, and why they may hold machines."""


@cache
def types_of(cloud: str) -> tuple[tuple[str, frozenset[str], tuple[str, ...]], ...]:
    """Return each type of a cloud's SDK: its token, its inputs at any depth, its former tokens."""
    return tuple(_types_of(cloud))


def _types_of(cloud: str) -> Iterator[tuple[str, frozenset[str], tuple[str, ...]]]:
    spec = find_spec(f"pulumi_{cloud.replace('-', '_')}")
    assert spec is not None
    assert spec.origin is not None
    for package in sorted(Path(spec.origin).parent.rglob("__init__.py")):
        folder = package.parent
        if _VERSION.fullmatch(folder.name):
            continue
        shared = folder / "_inputs.py"
        nested = _classes(shared.read_text()) if shared.exists() else {}
        for file in sorted(folder.glob("[!_]*.py")):
            yield from _type_in(file.read_text(), nested)


def _type_in(
    text: str, nested: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, frozenset[str], tuple[str, ...]]]:
    token, own = _TOKEN.search(text), _classes(text)
    if token and ":" in token[1] and own:
        inputs = frozenset(_flat(next(iter(own.values())), {**nested, **own}, ()))
        yield token[1], inputs, tuple(dict.fromkeys(_FORMERLY.findall(text)))


def _classes(text: str) -> dict[str, dict[str, str]]:
    return {name: dict(_INPUT.findall(body or "")) for name, body in _CLASS.findall(text)}


def _flat(
    inputs: Mapping[str, str], nested: Mapping[str, Mapping[str, str]], above: tuple[str, ...]
) -> Iterator[str]:
    for name, kind in inputs.items():
        yield name
        for part in _NESTED.findall(kind):
            if part in nested and part not in above:
                yield from _flat(nested[part], nested, (*above, part))


def machine_inputs(inputs: frozenset[str]) -> tuple[str, ...]:
    """The inputs by which a type may be, hold or start a machine."""
    return tuple(
        name for name in sorted(inputs) if MACHINES.search(name) and not NEUTRAL.search(name)
    )


def module_of(token: str) -> str:
    """The service of a type, by its name in the SDK."""
    return token.split(":")[1].partition("/")[0]


def version_of(cloud: str) -> str:
    """The installed SDK's name and version."""
    package = f"pulumi-{cloud}"
    return f"{package} {metadata.version(package)}"
