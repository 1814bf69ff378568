"""One refused input per rule: offline and through the engine, the same rule says the same."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, RunRequest, Target
from gpuinfra.model import Usage
from gpuinfra.rules import RULES
from gpuinfra.rules.waivers import short_name
from gpuinfra.sandbox.sandbox_folder import STRICT_VARIABLE
from tests.policies import further_cases
from tests.policies.ground import AS_OF, BOTH_WAYS, POLICIES, refusing
from tests.policies.programs import HIDDEN, TOLD, offline, register
from tests.rules.cases import aws_faults as aws
from tests.rules.cases import azure_faults as azure
from tests.rules.cases import azure_stacks, gcp_stacks, stacks, static_checks
from tests.rules.cases import gcp_faults as gcp
from tests.rules.cases.azure_cluster import cluster as azure_cluster
from tests.rules.cases.cluster import cluster, current_nics
from tests.rules.cases.program import Program

pytestmark = pytest.mark.e2e

PACK = "all"
JUDGED = {rule.id for rule in RULES if rule.family != "budget"}
UNTRIED = {
    "spot-share",  # the whole stack's: tried by itself
    "interruption-rate",  # demands nothing by default
    "spot-allocation",  # of pools of several types, which tests/rules has
    *("valid-names", "flex-start", "eviction-policy"),  # the cloud refuses them before
    *("login-identity", "password-login"),  # of one cloud each: tests/rules
    *("force-destroy", "bucket-safeguards"),  # of one cloud each: tests/rules
    "cluster-access",  # of clusters, which no case has: tests/rules
    "resource-settings",  # of many kinds, which tests/clouds/aws has
    "shared-storage-zone",  # of files beside the machines that mount them, not of many stacks
}
"""Rules that no case here refuses."""


def no_nvlink() -> Program:
    """Four cards of EFA, eight GPUs that only PCIe joins."""
    return cluster("g6e.48xlarge", nics=lambda group: current_nics(4, group)).program


def on_aws() -> Iterator[tuple[str, Program]]:
    broken = {rule: spoil for rule, (spoil, _) in aws.BROKEN.items()}
    for prefix, cases in (("", broken), (HIDDEN, aws.HIDDEN)):
        for rule, spoil in cases.items():
            case = cluster()
            spoil(case)
            yield f"{prefix}{rule}", case.program
    for rule, (part, *faults) in aws.BUCKETS.items():
        for prefix, fault in zip(("", HIDDEN), faults, strict=True):
            program, _, parts = stacks.good_bucket()
            program.change(parts[part], **fault)
            yield f"{prefix}{rule}", program
    yield "nvlink", no_nvlink()
    yield from further_cases.ON_AWS.items()


def on_gcp() -> Iterator[tuple[str, Program]]:
    broken = {rule: (make, spoil) for rule, (make, spoil, _) in gcp.BROKEN.items()}
    for prefix, cases in (("", broken), (HIDDEN, gcp.HIDDEN)):
        for rule, (make, spoil) in cases.items():
            case = make()
            spoil(case)
            yield f"{prefix}{rule}", case.program
    for rule, faults in gcp.BUCKETS.items():
        for prefix, fault in zip(("", HIDDEN), faults, strict=True):
            program, bucket = gcp_stacks.good_bucket()
            program.change(bucket, **fault)
            yield f"{prefix}{rule}", program


def on_azure() -> Iterator[tuple[str, Program]]:
    broken = {rule: spoil for rule, (spoil, _) in azure.BROKEN.items()}
    for prefix, cases in (("", broken), (HIDDEN, azure.HIDDEN)):
        for rule, spoil in cases.items():
            case = azure_cluster()
            spoil(case)
            yield f"{prefix}{rule}", case.program
    for rule, (part, *faults) in azure.BUCKETS.items():
        for prefix, fault in zip(("", HIDDEN), faults, strict=True):
            program, _, parts = azure_stacks.good_bucket()
            program.change(parts[part], **fault)
            yield f"{prefix}{rule}", program


REFUSED_BEFORE = {
    "aws": set(),
    "gcp": {"spot-settings", "gpu-maintenance"},
    "azure": {"spot-settings", "eviction-policy", f"{HIDDEN}eviction-policy"},
}
"""Cases that the cloud itself refuses, in the sandbox as well, before any pack is asked."""

CASES = {
    cloud: {case: program for case, program in cases if case not in REFUSED_BEFORE[cloud]}
    for cloud, cases in {"aws": on_aws(), "gcp": on_gcp(), "azure": on_azure()}.items()
}
"""By cloud and rule, a program with one thing in it that the rule refuses."""

USAGE = {
    "checkpoints": {"spot-checkpoints-workers": False},
    "purpose": {"spot-checkpoints-workers": "training", "spot-only-pool-workers": "inference"},
    "nvlink": {"nvlink-workers": True},
}


def test_every_rule_refuses_in_some_case():
    every = (*CASES.values(), further_cases.EARLY)
    tried = {rule for cases in every for rule, _ in _expected(cases)}
    static = {case.rule for case in static_checks.CASES.values()}
    assert JUDGED - tried - static == UNTRIED


def _expected(cases: Mapping[str, Program]) -> set[tuple[str, str]]:
    return offline(cases, JUDGED, Usage(**USAGE))


LATER = {
    ("long-lived-key", f"{HIDDEN}administrator-role-workers"),
    ("long-lived-key", f"{HIDDEN}long-lived-key-workers"),
    ("secret-in-script", f"{HIDDEN}long-lived-key-workers"),
}
"""On Azure the engine tells only of a machine's whole profile what it is written from, so that a
hidden script may come from the program: the preview leaves it to the update, which asks again
before the machine is made."""


@pytest.fixture
def request_of(environment: dict[str, str]):
    """Makes a request for a program under every rule."""

    def make(program, **config: Any) -> RunRequest:
        settings = {"as_of": AS_OF, "usage": USAGE}
        return RunRequest(
            project="agreement",
            program=program,
            target=Target(name="sandbox", environment={**environment, STRICT_VARIABLE: "0"}),
            packs=(Pack(folder=POLICIES / PACK, config={"settings": settings, **config}),),
        )

    return make


@BOTH_WAYS
def test_offline_and_through_the_engine_every_rule_refuses_the_same(request_of):
    agree(CASES["aws"], request_of, **TOLD)


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_what_is_broken_or_hidden_on_other_clouds_is_refused_the_same(cloud, request_of):
    agree(CASES[cloud], request_of, **TOLD)


@pytest.mark.parametrize("case", further_cases.EARLY)
def test_what_waits_for_nothing_is_refused_the_same(case, request_of):
    agree({case: further_cases.EARLY[case]}, request_of)


def agree(cases: Mapping[str, Program], request_of, **config: str) -> None:
    expected = _expected(cases)
    for case in cases:
        rule = case.removeprefix(HIDDEN)
        assert any(
            refusing == rule and name.startswith(f"{case}-") for refusing, name in expected
        ), case

    def program() -> None:
        for case, made in cases.items():
            register(case, made)

    outcome = lifecycle.preview(request_of(program, **config))

    assert outcome.ok is bool(config), (outcome.reason, outcome.refusals)
    refused = {(finding.policy, short_name(finding.urn)) for finding in outcome.findings}
    later = LATER if cases is CASES["azure"] else set()
    assert {pair for pair in refused if pair[0] in JUDGED} == expected - later


def test_the_share_on_spot_is_the_whole_stacks_and_configuration_sets_it(request_of):
    def program() -> None:
        register("share", cluster().program)

    share = {"spot-share": {"minimum": "60%", "enforcementLevel": "mandatory"}}
    outcome = lifecycle.preview(request_of(program, **TOLD, **share))

    assert outcome.ending == "refused", (outcome.reason, outcome.refusals)
    assert refusing(outcome) == {"spot-share"}
    assert "0 of 32 GPUs on spot, below the minimum of 60%" in outcome.reason

    advisory = {"spot-share": {"minimum": "60%", "enforcementLevel": "advisory"}}
    outcome = lifecycle.preview(request_of(program, **TOLD, **advisory))
    assert outcome.ok, outcome.reason
    assert ("spot-share", "advisory") in {
        (finding.policy, finding.level) for finding in outcome.findings
    }


def test_a_mistake_in_the_configuration_is_refused_in_plain_words(sandbox_environment):
    """Whoever gives a cap under a wrong name has none; a traceback would not tell that."""
    budget = {"settings": {"as_of": AS_OF, "budget": {"per_huor": 260}}}
    spot = {"spot-share": {"minimun": "60%"}}
    outcome = lifecycle.preview(
        RunRequest(
            project="mistake",
            program=lambda: register("mistake", cluster().program),
            target=Target(name="sandbox", environment=sandbox_environment),
            packs=(
                Pack(folder=POLICIES / "budget", config=budget),
                Pack(folder=POLICIES / "spot", config=spot),
            ),
        )
    )

    assert outcome.ending == "refused", (outcome.reason, outcome.diagnostics)
    messages = {finding.policy: finding.message for finding in outcome.findings}
    assert "unknown key 'per_huor' in budget. Did you mean 'per_hour'?" in messages["settings"]
    assert "no such setting ('minimun'). Did you mean 'minimum'?" in messages["spot-share"]
    everything = (*messages.values(), *(diagnostic.message for diagnostic in outcome.diagnostics))
    assert not any("Traceback" in text or "Extra inputs" in text for text in everything)
