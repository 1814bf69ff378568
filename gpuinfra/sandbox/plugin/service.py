"""The plugin's gRPC service: Pulumi's ResourceProvider protocol in plain Python."""

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, plugin_pb2
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderServicer

from gpuinfra.sandbox.ledger import Ledger
from gpuinfra.sandbox.plugin import lookup_answers, partial_create, provider, settings
from gpuinfra.sandbox.plugin.cloud import Cloud
from gpuinfra.sandbox.plugin.contract import CloudRefusalError, OperationTarget, PartialCreateError
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.naming import Autonaming
from gpuinfra.sandbox.plugin.orphans import Orphans
from gpuinfra.sandbox.plugin.resources import Resources
from gpuinfra.sandbox.plugin.schema_exchange import EMPTY_SCHEMA, schema_of, schema_of_tables
from gpuinfra.sandbox.plugin.wire import from_wire, to_wire, unread_response
from gpuinfra.sandbox.sandbox_folder import LEDGER_FILE, sandbox_home
from gpuinfra.urns import name_of, type_of

_KIND = proto.PropertyDiff.Kind
_KINDS = {
    ("add", False): _KIND.ADD,
    ("add", True): _KIND.ADD_REPLACE,
    ("delete", False): _KIND.DELETE,
    ("delete", True): _KIND.DELETE_REPLACE,
    ("update", False): _KIND.UPDATE,
    ("update", True): _KIND.UPDATE_REPLACE,
}
_MODE = proto.CheckRequest.AutonamingOptions.Mode


def _answers(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that reports refusals and bugs as gRPC errors."""

    @wraps(method)
    def answer(self: "Service", request: Any, context: grpc.ServicerContext) -> Any:
        try:
            return method(self, request, context)
        except partial_create.PartialCreateDetailError as kept:
            partial_create.end_call(context, kept)
        except CloudRefusalError as refusal:
            context.abort(grpc.StatusCode.UNKNOWN, f"{refusal} (sandbox)")
        except Exception as error:  # noqa: BLE001  the engine must get an answer to every call
            traceback.print_exc(file=sys.stderr)
            text = f"the sandbox's plugin failed: {type(error).__name__}: {error}"
            context.abort(grpc.StatusCode.INTERNAL, text)
        return None

    return answer


class Service(ResourceProviderServicer):
    """One provider: the engine configures it once and then calls from many threads."""

    def __init__(self, cloud: Cloud, engine: str = "") -> None:
        self._cloud = cloud
        self._engine = engine
        self._reported_urns: set[str] = set()
        self._strict = False
        ledger = Ledger(sandbox_home() / LEDGER_FILE)
        ledger.keep_open()
        self._resources = Resources(cloud, ledger)
        self._orphans = Orphans(ledger, self._resources)

    def end(self) -> None:
        """Allow no new create, and wait for the running ones."""
        self._resources.creates.end()

    def Handshake(self, request: Any, context: Any) -> Any:
        """Return the plugin's capabilities."""
        return proto.ProviderHandshakeResponse(supports_autonaming_configuration=True)

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        """Return the SDK's version, so that the engine finds them matching."""
        return plugin_pb2.PluginInfo(version=self._cloud.version)

    def Attach(self, request: Any, context: Any) -> Any:
        """Store the engine's address."""
        self._engine = request.address
        return Empty()

    def Cancel(self, request: Any, context: Any) -> Any:
        """Do nothing: running calls end by themselves."""
        return Empty()

    def GetMapping(self, request: Any, context: Any) -> Any:
        """Return no mapping from other tools."""
        return proto.GetMappingResponse()

    def GetSchema(self, request: Any, context: Any) -> Any:
        """Return the schema of the program's types in a temporary sandbox, else of the tables."""
        cloud = self._cloud
        schema = schema_of(cloud.package)
        if schema == EMPTY_SCHEMA:
            schema = schema_of_tables(cloud.package, cloud.schema, cloud.provider.known_settings)
        return proto.GetSchemaResponse(schema=schema)

    @_answers
    def CheckConfig(self, request: Any, context: Any) -> Any:
        """Return the problems of the provider's own settings."""
        configuration = from_wire(request.news)
        provider_of = self._cloud.provider
        failures = settings.unknown(
            configuration, provider_of.known_settings
        ) + provider_of.problems(configuration)
        return proto.CheckResponse(inputs=request.news, failures=_failures(failures))

    @_answers
    def DiffConfig(self, request: Any, context: Any) -> Any:
        """Return the changed settings; a change of a fixed one replaces the provider."""
        old, new = from_wire(request.old_inputs or request.olds), from_wire(request.news)
        changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        some = proto.DiffResponse.DIFF_SOME if changed else proto.DiffResponse.DIFF_NONE
        replaces = [key for key in changed if key in self._cloud.provider.replacing_settings]
        return proto.DiffResponse(changes=some, diffs=changed, replaces=replaces)

    @_answers
    def Configure(self, request: Any, context: Any) -> Any:
        """Apply the provider's settings."""
        configuration = from_wire(request.args)
        prefix = f"{self._cloud.package}:config:"
        for key, value in request.variables.items():
            configuration.setdefault(key.removeprefix(prefix), value)
        self._strict = settings.strict()
        self._resources.settings = self._cloud.provider.read_settings(configuration)
        return proto.ConfigureResponse(
            supportsPreview=True, supports_autonaming_configuration=True
        )

    @_answers
    def Check(self, request: Any, context: Any) -> Any:
        """Return a resource's inputs with a generated name, and their problems."""
        target = self._target(request.urn)
        if not self._resources.knows(target.token):
            reason = f"the sandbox does not know {target.token}: its properties were not checked"
            if self._strict:
                failure = Failure("", f"{reason}; refused, because the sandbox is strict")
                return proto.CheckResponse(inputs=request.news, failures=_failures([failure]))
            self._warn(request.urn, reason)
        autonaming = request.autonaming if request.HasField("autonaming") else None
        proposal = None
        if autonaming is not None and (
            autonaming.proposed_name or autonaming.mode == _MODE.DISABLE
        ):
            proposal = Autonaming(autonaming.proposed_name, autonaming.mode == _MODE.ENFORCE)
        inputs, failures = provider.check_inputs(
            self._resources,
            target,
            from_wire(request.news),
            from_wire(request.olds),
            request.randomSeed,
            proposal,
        )
        return proto.CheckResponse(inputs=to_wire(inputs), failures=_failures(failures))

    @_answers
    def Diff(self, request: Any, context: Any) -> Any:
        """Return the changes, and which of them replace the resource; no changes for imports."""
        if settings.temporary():
            return proto.DiffResponse(changes=proto.DiffResponse.DIFF_NONE)
        self._orphans.mark_known(request.urn)
        difference = provider.difference(
            self._resources,
            self._target(request.urn),
            from_wire(request.old_inputs),
            from_wire(request.news),
            from_wire(request.olds),
        )
        changes = difference.changes
        detailed = {
            change.text: proto.PropertyDiff(
                kind=_KINDS[change.kind, change.replaces], inputDiff=True
            )
            for change in changes
        }
        return proto.DiffResponse(
            changes=proto.DiffResponse.DIFF_SOME if changes else proto.DiffResponse.DIFF_NONE,
            replaces=[change.text for change in changes if change.replaces],
            diffs=sorted({str(change.path[0]) for change in changes}),
            deleteBeforeReplace=difference.delete_first,
            detailedDiff=detailed,
            hasDetailedDiff=True,
        )

    @_answers
    def Create(self, request: Any, context: Any) -> Any:
        """Create the resource, or return the outputs of a preview."""
        target, inputs = self._target(request.urn), from_wire(request.properties)
        if request.preview:
            outputs = provider.preview_outputs(self._resources, target, inputs, None)
            return proto.CreateResponse(properties=self._outputs_message(target, outputs))
        for gone in self._orphans.delete_leftovers(target):
            self._warn(request.urn, gone)
        try:
            resource_id, outputs = self._resources.create(target, inputs)
        except PartialCreateError as half:
            reason = f"{half} (sandbox)"
            detail = proto.ErrorResourceInitFailed(
                id=half.resource_id,
                properties=self._outputs_message(target, half.outputs),
                reasons=[reason],
                inputs=request.properties,
            )
            raise partial_create.PartialCreateDetailError(reason, detail) from half
        context.add_callback(lambda: self._orphans.mark_answered(target.urn))
        return proto.CreateResponse(
            id=resource_id, properties=self._outputs_message(target, outputs)
        )

    @_answers
    def Read(self, request: Any, context: Any) -> Any:
        """Return the current properties; an empty id if the resource no longer exists.

        What a preview without an account reads or imports is there: the SDK treats the properties
        that are not returned as unknown.
        """
        if settings.temporary():
            return unread_response(request)
        target = self._target(request.urn)
        self._orphans.mark_known(request.urn)
        known, inputs = from_wire(request.properties), from_wire(request.inputs)
        now = self._resources.read(target, request.id, known)
        if now is None:
            return proto.ReadResponse()
        resource_id, outputs = now
        read_inputs = provider.inputs_read(self._resources, target, outputs, known, inputs)
        return proto.ReadResponse(
            id=resource_id,
            properties=self._outputs_message(target, outputs),
            inputs=to_wire(read_inputs),
        )

    @_answers
    def Update(self, request: Any, context: Any) -> Any:
        """Update the resource in place, or return the outputs of a preview."""
        target = self._target(request.urn)
        inputs, old = from_wire(request.news), from_wire(request.olds)
        if request.preview:
            outputs = provider.preview_outputs(self._resources, target, inputs, old)
        else:
            before = from_wire(request.old_inputs)
            outputs = self._resources.update(target, request.id, inputs, old, before)
        return proto.UpdateResponse(properties=self._outputs_message(target, outputs))

    @_answers
    def Delete(self, request: Any, context: Any) -> Any:
        """Delete the resource."""
        self._orphans.mark_known(request.urn)
        target = self._target(request.urn)
        try:
            self._resources.delete(target, request.id, from_wire(request.properties))
        except CloudRefusalError as refusal:
            raise self._orphans.with_users(refusal, request.urn, request.id) from refusal
        return Empty()

    @_answers
    def Invoke(self, request: Any, context: Any) -> Any:
        """Return the answer of a look-up, or what a preview without an account knows of it."""
        answer = lookup_answers.answer(
            self._cloud, self._resources, request.tok, from_wire(request.args)
        )
        return proto.InvokeResponse(**dict[str, Any]({"return": to_wire(answer)}))

    def _target(self, urn: str) -> OperationTarget:
        return OperationTarget(urn, self._cloud.token(type_of(urn)), name_of(urn))

    def _outputs_message(self, target: OperationTarget, outputs: dict[str, Any]) -> Any:
        kind = self._cloud.schema.type(target.token)
        return to_wire(outputs, kind.secret_outputs if kind else frozenset())

    def _warn(self, urn: str, text: str) -> None:
        if not self._engine or urn in self._reported_urns:
            return
        self._reported_urns.add(urn)
        with grpc.insecure_channel(self._engine) as channel:
            engine_pb2_grpc.EngineStub(channel).Log(
                engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=text, urn=urn)
            )


def _failures(failures: list[Failure]) -> list[Any]:
    return [
        proto.CheckFailure(property=item.path, reason=f"{item.reason} (sandbox)")
        for item in failures
    ]
