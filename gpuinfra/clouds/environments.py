"""The plain environments of functions and containers, which everybody reads who may list them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.observing.values import at, listed, read_json
from gpuinfra.clouds.secrets import in_script, in_value, joined_secrets
from gpuinfra.model import UNKNOWN, Resource, Unknown

ENVIRONMENTS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "aws:lambda/function:Function": (("environment", "variables"),),
    "aws:ecs/taskDefinition:TaskDefinition": (("containerDefinitions", "environment"),),
    "aws:batch/jobDefinition:JobDefinition": (("containerProperties", "environment"),),
    "aws:codebuild/project:Project": (("environment", "environmentVariables"),),
    "gcp:cloudrunv2/service:Service": (("template", "containers", "envs"),),
    "gcp:cloudrunv2/job:Job": (("template", "template", "containers", "envs"),),
    "gcp:cloudfunctions/function:Function": (("environmentVariables",),),
    "gcp:cloudfunctionsv2/function:Function": (
        ("serviceConfig", "environmentVariables"),
        ("buildConfig", "environmentVariables"),
    ),
    "azure-native:containerinstance:ContainerGroup": (("containers", "environmentVariables"),),
    "azure-native:app:ContainerApp": (("template", "containers", "env"),),
    "azure-native:web:WebApp": (("siteConfig", "appSettings"),),
}
"""Where each type has its environment, by the SDKs pulumi-aws 7.51.1, pulumi-gcp 10.2.0 and
pulumi-azure-native 3.29.0; what such a type takes as a secret stands elsewhere. The text of ECS
and Batch is JSON."""

PLAIN: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "aws:ecs/taskDefinition:TaskDefinition": (
        ("containerDefinitions", "command"),
        ("containerDefinitions", "entryPoint"),
    ),
    "aws:batch/jobDefinition:JobDefinition": (("containerProperties", "command"),),
    "aws:sagemaker/model:Model": (
        ("primaryContainer", "environment"),
        ("containers", "environment"),
    ),
    "aws:apprunner/service:Service": (
        (
            *("sourceConfiguration", "imageRepository", "imageConfiguration"),
            "runtimeEnvironmentVariables",
        ),
        (
            *("sourceConfiguration", "codeRepository", "codeConfiguration"),
            *("codeConfigurationValues", "runtimeEnvironmentVariables"),
        ),
    ),
    "aws:amplify/app:App": (("environmentVariables",),),
    "aws:amplify/branch:Branch": (("environmentVariables",),),
    "aws:elasticbeanstalk/environment:Environment": (("settings",),),
    "aws:glue/job:Job": (("defaultArguments",),),
    "aws:apigateway/stage:Stage": (("variables",),),
    "aws:apigatewayv2/stage:Stage": (("stageVariables",),),
    "aws:synthetics/canary:Canary": (("runConfig", "environmentVariables"),),
    "aws:lightsail/containerServiceDeploymentVersion:ContainerServiceDeploymentVersion": (
        ("containers", "environment"),
    ),
    "aws:mwaa/environment:Environment": (("airflowConfigurationOptions",),),
    "aws:bedrock/agentcoreAgentRuntime:AgentcoreAgentRuntime": (("environmentVariables",),),
    "gcp:cloudrunv2/service:Service": (
        ("template", "containers", "commands"),
        ("template", "containers", "args"),
    ),
    "gcp:cloudrunv2/job:Job": (
        ("template", "template", "containers", "commands"),
        ("template", "template", "containers", "args"),
    ),
    "gcp:cloudrunv2/workerPool:WorkerPool": (
        ("template", "containers", "envs"),
        ("template", "containers", "commands"),
        ("template", "containers", "args"),
    ),
    "gcp:cloudrun/service:Service": (
        ("template", "spec", "containers", "envs"),
        ("template", "spec", "containers", "commands"),
        ("template", "spec", "containers", "args"),
    ),
    "gcp:composer/environment:Environment": (("config", "softwareConfig", "envVariables"),),
    "azure-native:containerinstance:ContainerGroup": (("containers", "command"),),
    "azure-native:app:ContainerApp": (
        ("template", "containers", "command"),
        ("template", "containers", "args"),
    ),
    "azure-native:app:Job": (
        ("template", "containers", "env"),
        ("template", "containers", "command"),
        ("template", "containers", "args"),
    ),
    "azure-native:web:WebAppSlot": (("siteConfig", "appSettings"),),
    "azure-native:web:WebAppApplicationSettings": (("properties",),),
    "aws:ssm/parameter:Parameter": (("value",), ("insecureValue",)),
    "aws:ssm/document:Document": (("content",),),
    "aws:appconfig/hostedConfigurationVersion:HostedConfigurationVersion": (("content",),),
    "gcp:storage/transferJob:TransferJob": (
        ("transferSpec", "awsS3DataSource", "awsAccessKey"),
        ("transferSpec", "azureBlobStorageDataSource", "azureCredentials"),
    ),
    "azure-native:appconfiguration:KeyValue": (("value",),),
    "azure-native:compute:VirtualMachineRunCommandByVirtualMachine": (
        ("source", "script"),
        ("parameters",),
    ),
    "azure-native:compute:VirtualMachineScaleSetVMRunCommand": (
        ("source", "script"),
        ("parameters",),
    ),
    "azure-native:compute:VirtualMachineExtension": (("settings",),),
    "azure-native:compute:VirtualMachineScaleSetExtension": (("settings",),),
    "kubernetes:core/v1:ConfigMap": (("data",),),
}
"""Where each type has texts that are kept in the open, by the same SDKs; protected settings and
parameters stand elsewhere. Nothing is said of those that show no secret, nor of unknown ones."""

_TAGS: Final = ("tags", "labels")
_ENCRYPTED: Final = "SecureString"
"""The type of a parameter that Systems Manager encrypts:
https://docs.aws.amazon.com/systems-manager/latest/userguide/secure-string-parameter-kms-encryption.html"""

_SCRIPTS: Final = frozenset({"content", "script"})

_REFERENCES: Final = ("PARAMETER_STORE", "SECRETS_MANAGER")
"""Types of a CodeBuild variable whose value only names where the secret is kept:
https://docs.aws.amazon.com/codebuild/latest/APIReference/API_EnvironmentVariable.html"""

_VERSION: Final = re.compile(r"/v\d\w*:")
"""The API version that a token of Azure may have: azure-native:app/v20240301:ContainerApp."""


def exposed(resource: Resource) -> tuple[str, ...] | Unknown | None:
    """Say in words which passwords and keys the environment of a resource shows, and where.

    None for a resource that has no environment, nor a plain text with a secret; UNKNOWN where the
    environment shows none as far as it is known, and not all of it is known or can be read.
    """
    paths = ENVIRONMENTS.get(_VERSION.sub(":", resource.type, count=1))
    plain = (*_in_plain(resource), *_in_tags(resource.inputs))
    if paths is None:
        return plain or None
    shown = [
        _shown(environment) for path in paths for environment in _below(resource.inputs, path)
    ]
    return joined_secrets([plain, *shown])


def _in_tags(inputs: Mapping[str, Any]) -> Iterator[str]:
    """The secrets of tags and labels, which everybody reads who may list."""
    for key in _TAGS:
        tags = inputs.get(key)
        if isinstance(tags, Mapping):
            yield from in_value(tags, key)
        for tag in tags if isinstance(tags, (list, tuple)) else ():
            name = at(tag, "key")
            if isinstance(name, str):
                yield from in_value(at(tag, "value"), f"{key}.{name}")


def _in_plain(resource: Resource) -> tuple[str, ...]:
    """The secrets of plain texts; a key or a name that stands beside a value names it."""
    inputs = resource.inputs
    if inputs.get("type") in {_ENCRYPTED, UNKNOWN}:
        return ()
    kind = resource.type
    paths = PLAIN.get(kind) or PLAIN.get(_VERSION.sub(":", kind, count=1), ())
    return tuple(
        words
        for path in paths
        for text in _below(inputs, path)
        for words in _of_text(text, path, inputs.get("name") or inputs.get("keyValueName"))
    )


def _of_text(text: Any, path: tuple[str, ...], called: Any) -> Iterator[str]:
    if path[-1] in _SCRIPTS and isinstance(text, str):
        secrets = in_script(text, ".".join(path))
        yield from () if isinstance(secrets, Unknown) else secrets
    elif isinstance(text, str) and isinstance(called, str):
        yield from in_value(text, f"{path[-1]}.{called.rpartition('/')[2]}")
    else:
        yield from in_value(text, path[-1])


def _below(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """What stands at a path, in each item of the lists on the way."""
    if not path:
        yield value
        return
    if isinstance(value, str):
        value = read_json(value)
    for item in listed(value):
        inner = at(item, path[0])
        if inner is not None:
            yield from _below(inner, path[1:])


def _shown(environment: Any) -> tuple[str, ...] | Unknown:
    """The secrets of one environment; UNKNOWN where there are none but it hides something."""
    if isinstance(environment, (list, tuple)):
        environment = [
            variable for variable in environment if at(variable, "type") not in _REFERENCES
        ]
    words = tuple(in_value(environment, "environment"))
    return UNKNOWN if not words and _hides(environment) else words


def _hides(environment: Any) -> bool:
    """Whether a variable is not known yet; what names a secret kept elsewhere hides nothing."""
    if isinstance(environment, Mapping):
        return UNKNOWN in environment.values()
    return any(
        UNKNOWN in (variable, at(variable, "name"), at(variable, "value"))
        for variable in listed(environment)
    )
