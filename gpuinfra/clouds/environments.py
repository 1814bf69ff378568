"""The plain environments of functions and containers, which everybody reads who may list them."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.observing.values import at, listed
from gpuinfra.clouds.secrets import in_value
from gpuinfra.model import Resource

_ENVIRONMENTS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
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


_VERSION: Final = re.compile(r"/v\d\w*:")
"""The API version that a token of Azure may have: azure-native:app/v20240301:ContainerApp."""


def exposed(resource: Resource) -> list[str] | None:
    """Say in words which passwords and keys the environment of a resource shows, and where.

    None for a resource that has no environment.
    """
    paths = _ENVIRONMENTS.get(_VERSION.sub(":", resource.type, count=1))
    if paths is None:
        return None
    return [
        words
        for path in paths
        for found in _below(resource.inputs, path)
        for words in in_value(found, "environment")
    ]


def _below(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """What stands at a path, in each item of the lists on the way."""
    if not path:
        yield value
        return
    if isinstance(value, str):
        value = _read(value)
    for one in listed(value):
        inner = at(one, path[0])
        if inner is not None:
            yield from _below(inner, path[1:])


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
