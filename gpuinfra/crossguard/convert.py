"""Turns what the engine shows a policy into plain model rows: no proxies, no sentinels."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_policy import (
    PolicyProviderResource,
    PolicyResource,
    ResourceValidationArgs,
    StackValidationArgs,
    proxy,
)

from gpuinfra.crossguard.region import region_of
from gpuinfra.model import UNKNOWN, Resource, Unknown

_UNKNOWN_SENTINELS: Final = frozenset(
    value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_")
)
_TARGET: Final = "__target"
"""The key under which the SDK's proxies hand out what they wrap, without raising on unknowns."""


def plain(value: Any) -> Any:
    """The value without proxies: dicts, lists, scalars, and `UNKNOWN` for what is not known yet.

    The SDK's proxies raise on the first touch of an unknown value and downgrade the policy to
    advisory; looking under them keeps a mandatory policy mandatory. Secrets arrive unwrapped.
    Keys that start with two underscores are Pulumi's own bookkeeping and are left out.
    """
    if isinstance(value, str):
        return UNKNOWN if value in _UNKNOWN_SENTINELS else value
    if isinstance(value, proxy._DictProxy | proxy._ListProxy):  # noqa: SLF001  # no public way
        return plain(value[_TARGET])
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items() if not key.startswith("__")}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    return _asset(value) if isinstance(value, pulumi.Asset | pulumi.Archive) else value


def _asset(value: pulumi.Asset | pulumi.Archive) -> dict[str, Any]:
    """An asset or archive by where it comes from, in the words of a state file."""
    found = {key: getattr(value, key) for key in ("path", "text", "uri") if hasattr(value, key)}
    return {key: plain(item) for key, item in found.items()}


def unknown_inside(value: Any) -> bool:
    """Whether anything in the value is not known yet; at an update, nothing is unknown."""
    if isinstance(value, Unknown):
        return True
    if isinstance(value, Mapping):
        return any(unknown_inside(item) for item in value.values())
    return isinstance(value, list) and any(unknown_inside(item) for item in value)


def one(args: ResourceValidationArgs) -> Resource:
    """The resource that a resource policy is shown: its checked inputs, before it is made."""
    inputs = plain(args.props)
    return Resource(
        urn=args.urn,
        type=args.resource_type,
        name=args.name,
        inputs=inputs,
        parent=args.opts.parent,
        region=region_of(args.resource_type, inputs, _provider_inputs(args.provider)),
    )


def whole(args: StackValidationArgs, seen: Mapping[str, Resource]) -> tuple[Resource, ...]:
    """Every resource of the program, as a stack policy is shown them.

    The engine shows a stack policy the outputs only; `seen` holds the inputs that the resource
    policies of the same run saw, by URN. Without them the outputs stand in.
    """
    return tuple(_of_stack(shown, seen.get(shown.urn)) for shown in args.resources)


def _of_stack(shown: PolicyResource, seen: Resource | None) -> Resource:
    outputs = plain(shown.props)
    inputs = outputs if seen is None else seen.inputs
    relations = {
        key: tuple(source.urn for source in sources)
        for key, sources in shown.property_dependencies.items()
    }
    return Resource(
        urn=shown.urn,
        type=shown.resource_type,
        name=shown.name,
        inputs=inputs,
        outputs=outputs,
        relations=relations,
        parent=None if shown.parent is None else shown.parent.urn,
        region=region_of(shown.resource_type, inputs, outputs, _provider_inputs(shown.provider)),
    )


def _provider_inputs(provider: PolicyProviderResource | None) -> Mapping[str, Any]:
    known: Mapping[str, Any] = {} if provider is None else plain(provider.props)
    return known
