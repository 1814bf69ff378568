"""What the engine sends to a pack, written by hand."""

from pulumi.runtime.proto import analyzer_pb2 as proto

LATER = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine's word for a text that only an update knows."""

SIGNATURE = "4dabf18193072939515e22adb298388d"

COMPONENTS = ("gpuinfra:", "acme:")
"""The types of components, of which the engine shows no provider."""


def secret(value):
    """A value that is marked as secret."""
    return {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "value": value}


def asset(path):
    """A file as an input."""
    return {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "path": path}


def urn(kind, name):
    return f"urn:pulumi:dev::proj::{kind}::{name}"


def provider(**inputs):
    made = proto.AnalyzerProviderResource(
        type="pulumi:providers:aws", urn="urn:provider", name="default"
    )
    made.properties.update(inputs)
    return made


def shown(kind, name, inputs, *, parent=None, given=None, **options):
    """A resource before it is made."""
    made = proto.AnalyzeRequest(
        type=kind,
        urn=urn(kind, name),
        name=name,
        options=proto.AnalyzerResourceOptions(parent=parent or "", **options),
        provider=None if kind.startswith(COMPONENTS) else given or provider(region="us-east-1"),
    )
    made.properties.update(inputs)
    return made


def stack(kind, name, outputs, relations=(), parent=None, given=None):
    """A resource when all were registered."""
    made = proto.AnalyzerResource(
        type=kind,
        urn=urn(kind, name),
        name=name,
        parent=parent or "",
        provider=None if kind.startswith(COMPONENTS) else given or provider(region="us-east-1"),
    )
    made.properties.update(outputs)
    for key, urns in dict(relations).items():
        made.propertyDependencies[key].urns.extend(urns)
    return made
