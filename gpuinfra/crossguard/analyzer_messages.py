"""The conversion of the engine's analyzer messages into model rows without Pulumi sentinels."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.proto import analyzer_pb2 as proto

from gpuinfra.clouds import account_of, credentials_of, zone_of
from gpuinfra.clouds.observing.type_tokens import is_component
from gpuinfra.crossguard.region import region_of
from gpuinfra.model import UNKNOWN, Resource
from gpuinfra.pulumi_special_values import OUTPUT, SECRET, SENTINELS, SIGNATURE

STACK: Final = "pulumi:pulumi:Stack"
"""The type of what is above every resource."""

_KUBERNETES_PROVIDER: Final = "pulumi:providers:kubernetes"


def plain_properties(struct: Struct, *, revealed: bool = True) -> dict[str, Any]:
    """Return properties as dicts, lists, scalars, and `UNKNOWN` for values that are unknown.

    Keys that start with two underscores are Pulumi's own bookkeeping and are left out. Secrets are
    `revealed`, or else unknown. The SDK's own reader repeats this for every policy and raises on
    the first touch of an unknown value, which makes a mandatory policy advisory.
    """
    return {
        key: _value(value, revealed=revealed)
        for key, value in struct.fields.items()
        if not key.startswith("__")
    }


def _value(value: Value, *, revealed: bool) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        text = value.string_value
        return UNKNOWN if text in SENTINELS else text
    if kind == "struct_value":
        nested_value = value.struct_value
        is_special = SIGNATURE in nested_value.fields
        return (
            _special(nested_value, revealed=revealed)
            if is_special
            else plain_properties(nested_value, revealed=revealed)
        )
    if kind == "list_value":
        return [_value(item, revealed=revealed) for item in value.list_value.values]
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return value.bool_value if kind == "bool_value" else None


def _special(struct: Struct, *, revealed: bool) -> Any:
    """Return the value of a secret or output, or the contents of an asset or a reference."""
    fields = struct.fields
    kind = fields[SIGNATURE].string_value
    if kind in {SECRET, OUTPUT}:
        is_secret = kind == SECRET or ("secret" in fields and fields["secret"].bool_value)
        if "value" not in fields or (is_secret and not revealed):
            return UNKNOWN
        return _value(fields["value"], revealed=revealed)
    return {
        key: _value(item, revealed=revealed) for key, item in fields.items() if key != SIGNATURE
    }


def _redacted_inputs(struct: Struct, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs that hold a secret, with `UNKNOWN` for it."""
    redacted = plain_properties(struct, revealed=False)
    return {key: value for key, value in redacted.items() if value != inputs[key]}


class Reader:
    """A reader of the resources of one run; it opens each shared provider only once."""

    def __init__(self) -> None:
        self._providers: dict[str, Mapping[str, Any]] = {}

    def resource(self, request: proto.AnalyzeRequest) -> Resource:
        """Return a resource that is about to be registered, with its checked inputs."""
        inputs = plain_properties(request.properties)
        return Resource(
            urn=request.urn,
            type=request.type,
            name=request.name,
            inputs=inputs,
            redacted_inputs=_redacted_inputs(request.properties, inputs),
            parent=request.options.parent or None,
            region=region_of(request.type, inputs, self._provider(request)),
            zone=zone_of(request.type, self._provider(request)),
            account=account_of(request.type, self._provider(request), inputs),
            credentials=credentials_of(
                request.type, request.provider.urn, self._provider(request), inputs
            ),
            custom=_is_custom(request),
        )

    def all_resources(
        self,
        stack_request: proto.AnalyzeStackRequest,
        registered_resources: Mapping[str, Resource],
    ) -> tuple[Resource, ...]:
        """Return every resource of the program, as shown after all were registered.

        The engine shows the outputs only; `registered_resources` holds the inputs that were
        shown one by one before, by URN. Without them the outputs stand in.
        """
        of_stack = [
            self._convert_resource(resource, registered_resources.get(resource.urn))
            for resource in stack_request.resources
        ]
        clusters = {
            converted_resource.urn: converted_resource
            for converted_resource in of_stack
            if converted_resource.type == _KUBERNETES_PROVIDER
        }
        return tuple(
            replace(converted, provider=clusters.get(resource.provider.urn))
            if clusters
            else converted
            for converted, resource in zip(of_stack, stack_request.resources, strict=True)
        )

    def outputs(self, stack_request: proto.AnalyzeStackRequest) -> dict[str, Any] | None:
        """Return the outputs of the stack, unknown where secret; None if it is not shown."""
        of_stack = (resource for resource in stack_request.resources if resource.type == STACK)
        return next(
            (plain_properties(output.properties, revealed=False) for output in of_stack), None
        )

    def _convert_resource(
        self, message: proto.AnalyzerResource, registered_resource: Resource | None
    ) -> Resource:
        outputs = plain_properties(message.properties)
        inputs: Mapping[str, Any] = outputs
        if registered_resource is None:
            redacted_inputs: Mapping[str, Any] = _redacted_inputs(message.properties, outputs)
        else:
            inputs = registered_resource.inputs
            redacted_inputs = registered_resource.redacted_inputs
        return Resource(
            urn=message.urn,
            type=message.type,
            name=message.name,
            inputs=inputs,
            redacted_inputs=redacted_inputs,
            outputs=outputs,
            relations={
                key: tuple(dependency.urns)
                for key, dependency in message.propertyDependencies.items()
            },
            parent=message.parent or None,
            region=region_of(message.type, inputs, outputs, self._provider(message)),
            zone=zone_of(message.type, self._provider(message)),
            account=account_of(message.type, self._provider(message), inputs, outputs),
            credentials=credentials_of(
                message.type, message.provider.urn, self._provider(message), inputs, outputs
            ),
            custom=_is_custom(message),
            depends_on=tuple(message.dependencies),
        )

    def _provider(
        self, message: proto.AnalyzeRequest | proto.AnalyzerResource
    ) -> Mapping[str, Any]:
        if not message.HasField("provider"):
            return {}
        provider = message.provider
        if provider.urn not in self._providers:
            self._providers[provider.urn] = plain_properties(provider.properties)
        return self._providers[provider.urn]


def _is_custom(message: proto.AnalyzeRequest | proto.AnalyzerResource) -> bool:
    """Return whether a provider creates the resource, which means that it is no component.

    https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go
    (getProviderResource)
    """
    return message.HasField("provider") or not is_component(message.type)
