"""The server of a pack for the engine that started this process: Pulumi's analyzer protocol.

The SDK's own server parses every resource again for each policy of a pack, which for some 70 rules
and 500 resources takes longer than the preview itself, and it knows one level for all findings of
a policy. This one opens each resource once and asks all rules together.
https://github.com/pulumi/pulumi/blob/master/proto/pulumi/analyzer.proto
"""

import gc
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent import futures
from importlib.metadata import version
from typing import Any, Final, Protocol

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto import analyzer_pb2_grpc, plugin_pb2

from gpuinfra.crossguard import analyzer_messages
from gpuinfra.records import record
from gpuinfra.rules.rule import Level

_OPTIONS: Final = [("grpc.max_receive_message_length", 400 * 1024 * 1024)]
"""As Pulumi's own SDK: a stack policy is shown a whole stack in one message."""

_THREADS: Final = 4
_UNUSED_VERSION: Final = "0.0.1"
"""The engine takes the version in PulumiPolicy.yaml."""

_LEVELS: Final[Mapping[int, Level]] = {
    proto.ADVISORY: "advisory",
    proto.MANDATORY: "mandatory",
    proto.REMEDIATE: "mandatory",  # nothing is remedied, so nothing is let pass
    proto.DISABLED: "disabled",
}
_WIRE: Final[Mapping[Level, Any]] = {
    "advisory": proto.ADVISORY,
    "mandatory": proto.MANDATORY,
    "disabled": proto.DISABLED,
}


@record
class AnalyzerPolicy:
    """A policy as the engine lists it; `properties` is the JSON Schema of its settings."""

    name: str
    description: str
    level: Level
    properties: Mapping[str, Any]
    fix: str = ""
    url: str = ""


@record
class PolicyMessage:
    """A violation that a policy reports; `urn` is None for the resource that is being shown."""

    policy: str
    text: str
    level: Level = "mandatory"
    urn: str | None = None


class PolicyHandler(Protocol):
    """The interface of the judge that the analyzer calls."""

    def start_update(self, *, dry_run: bool) -> None:
        """Start a run, and record whether it is a preview or an update."""

    def configure(self, entries: Mapping[str, tuple[Level, Mapping[str, Any]]]) -> None:
        """Read the pack's configuration."""

    def judge_resource(self, request: proto.AnalyzeRequest) -> Iterable[PolicyMessage]:
        """Judge a resource before it is created."""
        ...

    def judge_stack(self, stack_request: proto.AnalyzeStackRequest) -> Iterable[PolicyMessage]:
        """Judge the whole stack."""
        ...


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """A gRPC servicer of Pulumi's analyzer protocol that calls a PolicyHandler."""

    def __init__(
        self, name: str, policies: Sequence[AnalyzerPolicy], handler: PolicyHandler
    ) -> None:
        self._name = name
        self._policies = {policy.name: policy for policy in policies}
        self._bench = handler

    def GetAnalyzerInfo(self, request: Any, context: Any) -> proto.AnalyzerInfo:
        """Return the policies of the pack."""
        policies = [_policy_info(policy) for policy in self._policies.values()]
        return proto.AnalyzerInfo(
            name=self._name, version=_UNUSED_VERSION, supportsConfig=True, policies=policies
        )

    def GetPluginInfo(self, request: Any, context: Any) -> plugin_pb2.PluginInfo:
        """Return the version of the SDK, as the SDK's own server does."""
        return plugin_pb2.PluginInfo(version=version("pulumi-policy"))

    def ConfigureStack(
        self, request: proto.AnalyzerStackConfigureRequest, context: Any
    ) -> proto.AnalyzerStackConfigureResponse:
        """Record whether a preview or an update follows."""
        self._bench.start_update(dry_run=request.dry_run)
        return proto.AnalyzerStackConfigureResponse()

    def Configure(self, request: proto.ConfigureAnalyzerRequest, context: Any) -> empty_pb2.Empty:
        """Read the configuration of policies, including those that the pack does not have."""
        self._bench.configure(
            {
                name: (
                    _LEVELS[setting.enforcementLevel],
                    analyzer_messages.plain_properties(setting.properties),
                )
                for name, setting in request.policyConfig.items()
            }
        )
        return empty_pb2.Empty()

    def Analyze(self, request: proto.AnalyzeRequest, context: Any) -> proto.AnalyzeResponse:
        """Judge a resource before it is created."""
        return self._answer(self._bench.judge_resource(request))

    def AnalyzeStack(
        self, request: proto.AnalyzeStackRequest, context: Any
    ) -> proto.AnalyzeResponse:
        """Judge the whole stack."""
        return self._answer(self._bench.judge_stack(request))

    def Remediate(self, request: Any, context: Any) -> proto.RemediateResponse:
        """Return an empty response; a pack changes no resources."""
        return proto.RemediateResponse()

    def _answer(self, messages: Iterable[PolicyMessage]) -> proto.AnalyzeResponse:
        return proto.AnalyzeResponse(
            diagnostics=[self._diagnostic(message) for message in messages]
        )

    def _diagnostic(self, message: PolicyMessage) -> proto.AnalyzeDiagnostic:
        description = self._policies[message.policy].description
        return proto.AnalyzeDiagnostic(
            policyName=message.policy,
            policyPackName=self._name,
            policyPackVersion=_UNUSED_VERSION,
            description=description,
            message=f"{description}\n{message.text}",
            urn=message.urn or "",
            enforcementLevel=_WIRE[message.level],
        )


def _policy_info(policy: AnalyzerPolicy) -> proto.PolicyInfo:
    info = proto.PolicyInfo(
        name=policy.name,
        description=policy.description,
        enforcementLevel=_WIRE[policy.level],
        policy_type=proto.POLICY_TYPE_RESOURCE,
        remediation_steps=policy.fix,
        url=policy.url,
    )
    info.configSchema.properties.update(policy.properties)
    return info


def serve(analyzer: Analyzer) -> None:
    """Serve until the engine ends this process; write the port to standard output."""
    gc.freeze()  # what is imported stays
    gc.enable()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=_THREADS), options=_OPTIONS)
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(analyzer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    try:
        server.wait_for_termination()
    except KeyboardInterrupt:
        server.stop(0)
