"""What services of AWS cost that are billed by the hour of what they state.

The instances of a SageMaker endpoint are counted with its configuration, since that states them;
an endpoint counts itself only where another one has the same configuration.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.launch import locations
from gpuinfra.clouds.aws.tables import PRICES, TABLES
from gpuinfra.clouds.observing.hourly_services import HourlyServices
from gpuinfra.clouds.observing.values import as_list, at, largest, text, whole_or
from gpuinfra.model import Resource, Rows, Unknown

_SERVICES: Final = HourlyServices("aws", TABLES, PRICES)
_CACHES: Final = "elasticache"
_ENDPOINTS: Final = "sagemaker"
_CONFIG: Final = resource_types.ENDPOINT_CONFIG
_ENDPOINT: Final = resource_types.SAGEMAKER_ENDPOINTS[-1]

_VARIANTS: Final = ("productionVariants", "shadowProductionVariants")


def rows(resource: Resource, kind: str, index: Index) -> Rows | None:
    """Return what a resource pays an hour; None where no table says it.

    Nodes that Application Auto Scaling adds to a cache are not known by their number.
    """
    if kind.startswith(f"aws:{_CACHES}/") and any(_targets(index, _CACHES)):
        return None
    if kind == _ENDPOINT:
        configs = index.targets(resource, "endpointConfigName", _CONFIG).certain
        if len(configs) != 1:
            return None
        (config,) = configs
        paid = rows(config, _CONFIG, index)
        first, *_ = index.referrers(config, _ENDPOINT, "endpointConfigName").certain
        return Rows() if paid is not None and first.urn == resource.urn else paid
    if kind == _CONFIG:
        resource = _with_all_variants(resource, index)
    return _SERVICES.rows(resource, kind, partial(locations.region_of, resource, index))


def _with_all_variants(config: Resource, index: Index) -> Resource:
    """Return a configuration with the variants of its endpoint and the most instances of each."""
    most = largest(
        [whole_or(target.inputs.get("maxCapacity"), 0) for target in _targets(index, _ENDPOINTS)]
        or [0]
    )
    variants = [
        {**variant, "scaledTo": most} if isinstance(variant, dict) else variant
        for variant in _variants(config)
    ]
    return replace(config, inputs={"variants": variants, "region": config.inputs.get("region")})


def _targets(index: Index, namespace: str) -> Iterator[Resource]:
    """Yield the scalable targets that are, or may be, of a namespace."""
    for target in index.of_kind(resource_types.SCALABLE_TARGET):
        service_namespace = text(target.inputs.get("serviceNamespace"))
        if isinstance(service_namespace, Unknown) or service_namespace == namespace:
            yield target


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
    settings = [at(variant, "serverlessConfig") for variant in _variants(config)]
    return bool(settings) and all(
        at(setting, "memorySizeInMb") is not None
        and at(setting, "provisionedConcurrency") in (None, 0)
        for setting in settings
    )


def _variants(config: Resource) -> Iterator[Any]:
    """Yield the variants of an endpoint, those that only shadow others too."""
    for key in _VARIANTS:
        yield from as_list(config.inputs.get(key))
