"""The protocol: what a pack tells the engine of itself, and a server that answers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import pulumi_policy
import pytest
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto import analyzer_pb2_grpc

from gpuinfra.crossguard.serving import Analyzer, AnalyzerPolicy, PolicyMessage
from tests.crossguard.wire import shown, urn

POLICIES = Path(__file__).parents[2] / "policies"
RULE = AnalyzerPolicy(
    name="small",
    description="Small. It is cheap.",
    level="advisory",
    properties={"most": {"type": "integer"}},
    fix="use fewer or cheaper machines",
    url="https://example.com/small",
)


class Bench:
    """Remembers what it hears, and says what it is told to."""

    def __init__(self, *messages):
        self.messages = messages
        self.heard = {}

    def start_update(self, *, dry_run):
        self.heard["dry_run"] = dry_run

    def configure(self, config):
        self.heard["said"] = config

    def judge_resource(self, _):
        return self.messages

    def judge_stack(self, _):
        return self.messages


def test_a_policy_is_told_with_its_level_its_settings_and_the_way_out():
    info = Analyzer("tried", [RULE], Bench()).GetAnalyzerInfo(None, None)
    assert (info.name, info.supportsConfig) == ("tried", True)
    (told,) = info.policies
    assert json_format.MessageToDict(told) == {
        "name": "small",
        "description": "Small. It is cheap.",
        "configSchema": {"properties": {"most": {"type": "integer"}}},
        "policyType": "POLICY_TYPE_RESOURCE",
        "remediationSteps": "use fewer or cheaper machines",
        "url": "https://example.com/small",
    }, "advisory is the protocol's zero"


def test_the_run_and_the_configuration_are_heard():
    bench = Bench()
    analyzer = Analyzer("tried", [RULE], bench)
    analyzer.ConfigureStack(proto.AnalyzerStackConfigureRequest(dry_run=True), None)
    request = proto.ConfigureAnalyzerRequest()
    for level in ("ADVISORY", "MANDATORY", "DISABLED", "REMEDIATE"):
        entry = request.policyConfig[level.lower()]
        entry.enforcementLevel = proto.EnforcementLevel.Value(level)
    request.policyConfig["advisory"].properties.update({"most": 3})
    analyzer.Configure(request, None)
    assert bench.heard == {
        "dry_run": True,
        "said": {
            "advisory": ("advisory", {"most": 3}),
            "mandatory": ("mandatory", {}),
            "disabled": ("disabled", {}),
            "remediate": ("mandatory", {}),
        },
    }


@pytest.mark.parametrize("ask", ["Analyze", "AnalyzeStack"])
def test_a_message_has_its_own_level_and_the_words_of_its_policy(ask):
    bench = Bench(
        PolicyMessage(policy="small", text="too large", urn="urn:it"),
        PolicyMessage(policy="small", text="nearly", level="advisory"),
    )
    first, second = getattr(Analyzer("tried", [RULE], bench), ask)(None, None).diagnostics
    assert (first.policyName, first.policyPackName) == ("small", "tried")
    assert first.message == "Small. It is cheap.\ntoo large"
    assert (first.urn, first.enforcementLevel) == ("urn:it", proto.MANDATORY)
    assert (second.urn, second.enforcementLevel) == ("", proto.ADVISORY)


@pytest.fixture
def stub():
    """A shipped pack as a process of its own, asked as the engine asks it."""
    with subprocess.Popen(
        [sys.executable, str(POLICIES / "security")], stdout=subprocess.PIPE, text=True
    ) as process:
        port = int(process.stdout.readline())
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield analyzer_pb2_grpc.AnalyzerStub(channel)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0


@pytest.mark.slow
def test_a_pack_serves_until_it_is_interrupted(stub):
    assert stub.GetPluginInfo(empty_pb2.Empty()).version == pulumi_policy.version.VERSION
    assert stub.GetAnalyzerInfo(empty_pb2.Empty()).name == "gpuinfra-security"
    assert stub.Remediate(proto.AnalyzeRequest()) == proto.RemediateResponse()
    kind = "aws:ec2/instance:Instance"
    machine = {"instanceType": "g6.xlarge", "metadataOptions": {"httpTokens": "optional"}}
    answer = stub.Analyze(shown(kind, "gate", machine))
    assert ("metadata-v2", urn(kind, "gate")) in {
        (diagnostic.policyName, diagnostic.urn) for diagnostic in answer.diagnostics
    }
