"""SageMaker endpoints: those billed by requests, and those that keep machines."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import as_list, at
from gpuinfra.model import Resource

_VARIANTS: Final = ("productionVariants", "shadowProductionVariants")


def is_by_use(resource: Resource, kind: str, index: Index) -> bool:
    """Return whether an endpoint or its configuration surely has no machine that is billed.

    A serverless one is billed by the duration of its requests, unless it keeps concurrency:
    https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints.html
    """
    if kind == resource_types.ENDPOINT_CONFIG:
        return _is_serverless(resource)
    targets = index.targets(resource, "endpointConfigName", resource_types.ENDPOINT_CONFIG)
    return bool(targets.certain) and targets.exact and all(map(_is_serverless, targets.certain))


def _is_serverless(config: Resource) -> bool:
    settings = [at(variant, "serverlessConfig") for variant in variants(config)]
    return bool(settings) and all(
        at(setting, "memorySizeInMb") is not None
        and at(setting, "provisionedConcurrency") in (None, 0)
        for setting in settings
    )


def variants(config: Resource) -> Iterator[Any]:
    """Yield the variants of an endpoint, those that only shadow others too."""
    for key in _VARIANTS:
        yield from as_list(config.inputs.get(key))
