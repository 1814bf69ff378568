"""``python -m gpuinfra.sandbox.plugin.passthrough PACKAGE VERSION [ENGINE]``: any plugin.

For a preview only: it accepts every resource unchanged, knows only the inputs that the program
gives, and answers no look-up. No rule judges what is in such a resource.
"""

import os
import sys
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import plugin_pb2, resource_pb2
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderServicer
from pulumi.runtime.proto.resource_pb2_grpc import ResourceMonitorStub

from gpuinfra.sandbox.plugin.plugin_server import serve
from gpuinfra.sandbox.plugin.schema_exchange import schema_of
from gpuinfra.sandbox.plugin.wire import unread_response

PREVIEW_ONLY = "the sandbox can't create resources of the package {}: they are only previewed"
UNANSWERED_INVOKE = (
    "UnansweredInvoke: the sandbox does not answer {}; nothing after it was checked"
)
UNMADE = "the sandbox cannot construct {}"


class UnknownPackage(ResourceProviderServicer):
    """A package of which only the name and the version are known."""

    def __init__(self, package: str, version: str) -> None:
        self._package = package
        self._version = version

    def Handshake(self, request: Any, context: Any) -> Any:
        """Return the plugin's capabilities."""
        return proto.ProviderHandshakeResponse(accept_secrets=True)

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        """Return the SDK's version, so that the engine finds them matching."""
        return plugin_pb2.PluginInfo(version=self._version)

    def Attach(self, request: Any, context: Any) -> Any:
        """Accept the engine's address; the plugin never calls the engine."""
        return Empty()

    def Cancel(self, request: Any, context: Any) -> Any:
        """Do nothing: running calls end by themselves."""
        return Empty()

    def GetMapping(self, request: Any, context: Any) -> Any:
        """Return no mapping from other tools."""
        return proto.GetMappingResponse()

    def GetSchema(self, request: Any, context: Any) -> Any:
        """Return the schema that the temporary sandbox has of the program's types."""
        return proto.GetSchemaResponse(schema=schema_of(self._package))

    def Configure(self, request: Any, context: Any) -> Any:
        """Return how resources are to be sent."""
        return proto.ConfigureResponse(supportsPreview=True, acceptSecrets=True)

    def Check(self, request: Any, context: Any) -> Any:
        """Accept a resource, or the provider's settings, unchanged."""
        return proto.CheckResponse(inputs=request.news)

    CheckConfig = Check

    def Diff(self, request: Any, context: Any) -> Any:
        """Return no changes, since the state is empty."""
        return proto.DiffResponse(changes=proto.DiffResponse.DIFF_NONE)

    DiffConfig = Diff

    def Create(self, request: Any, context: Any) -> Any:
        """Return the inputs as a preview's outputs; the SDK treats all others as unknown."""
        if not request.preview:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, PREVIEW_ONLY.format(self._package))
        return proto.CreateResponse(properties=request.properties)

    def Read(self, request: Any, context: Any) -> Any:
        """Return an existing resource with the inputs that the program states, and no more."""
        return unread_response(request)

    def Invoke(self, request: Any, context: Any) -> Any:
        """Refuse every call of a function or a method; the message names it."""
        context.abort(grpc.StatusCode.UNIMPLEMENTED, UNANSWERED_INVOKE.format(request.tok))

    Call = Invoke

    def Construct(self, request: Any, context: Any) -> Any:
        """Register a component as one resource of unknown content, which has no price.

        It is a custom resource: a component's own children are what is judged, and it has none.
        """
        if not request.dryRun:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, UNMADE.format(request.type))
        with grpc.insecure_channel(request.monitorEndpoint) as channel:
            response = ResourceMonitorStub(channel).RegisterResource(
                resource_pb2.RegisterResourceRequest(
                    type=request.type,
                    name=request.name,
                    parent=request.parent,
                    custom=True,
                    object=request.inputs,
                    version=self._version,
                    acceptSecrets=True,
                    acceptResources=True,
                )
            )
        return proto.ConstructResponse(urn=response.urn)


if __name__ == "__main__":
    started_by = os.getppid()
    serve(UnknownPackage(sys.argv[1], sys.argv[2]), started_by)
