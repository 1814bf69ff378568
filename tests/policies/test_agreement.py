"""One refused input per rule: offline and through the engine, the same rule says the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, Request, Target
from gpuinfra.model import Usage
from gpuinfra.rules import RULES
from gpuinfra.rules.waivers import short_name
from gpuinfra.sandbox.place import STRICT_VARIABLE
from tests.policies.ground import AS_OF, BOTH_WAYS, POLICIES
from tests.policies.programs import offline, register
from tests.rules import test_rules_on_azure as azure
from tests.rules import test_rules_on_gcp as gcp
from tests.rules import test_rules_on_resources as aws
from tests.rules.cases import azure_stacks, gcp_stacks, stacks
from tests.rules.cases.azure_cluster import cluster as azure_cluster
from tests.rules.cases.cluster import Cluster, cluster, current_nics
from tests.rules.cases.program import Program

pytestmark = pytest.mark.e2e

PACKS = ("spot", "fabric", "security")
JUDGED = {rule.id for rule in RULES if rule.family in PACKS}
HIDDEN = "hidden-"
"""How the name of a case begins whose fault is that something is not known."""


def spot_cluster() -> Cluster:
    case = cluster()
    case.program.change(case.template, instanceMarketOptions={"marketType": "spot"})
    return case


def no_nvlink() -> Program:
    """Four cards of EFA, eight GPUs that only PCIe joins."""
    return cluster("g6e.48xlarge", nics=lambda group: current_nics(4, group)).program


def on_aws() -> Iterator[tuple[str, Program]]:
    for rule, (spoil, _) in aws.BROKEN.items():
        case = cluster()
        spoil(case)
        yield rule, case.program
    for rule, (part, bad, _) in aws.BUCKETS.items():
        program, _, parts = stacks.good_bucket()
        program.change(parts[part], **bad)
        yield rule, program
    yield "spot-checkpoints", spot_cluster().program
    yield "spot-interruptible", spot_cluster().program
    yield "nvlink", no_nvlink()


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
    "azure": {"spot-settings"},
}
"""Cases that the cloud itself refuses, in the sandbox as well, before any pack is asked."""

CASES = {
    cloud: {case: program for case, program in cases if case not in REFUSED_BEFORE[cloud]}
    for cloud, cases in {"aws": on_aws(), "gcp": on_gcp(), "azure": on_azure()}.items()
}
"""By cloud and rule, a program with one thing in it that the rule refuses."""

USAGE = {
    "checkpoints": {"spot-checkpoints-workers": False},
    "purpose": {"spot-interruptible-workers": "inference"},
    "nvlink": {"nvlink-workers": True},
}


def test_every_rule_of_these_packs_but_one_has_a_case():
    """The share on spot is the whole stack's; it is tried by itself, and so are static checks."""
    tried = {case.removeprefix(HIDDEN) for cases in CASES.values() for case in cases}
    static = {"capacity-block", "spot-allocation"}
    assert tried == JUDGED - {"spot-share"} - static


@pytest.fixture
def request_of(environment: dict[str, str]):
    """Makes a request for a program under the packs that are not about money."""

    def make(program, **config: Any) -> Request:
        settings = {"as_of": AS_OF, "usage": USAGE}
        return Request(
            project="agreement",
            program=program,
            target=Target(name="sandbox", environment={**environment, STRICT_VARIABLE: "0"}),
            packs=tuple(
                Pack(folder=POLICIES / name, config={"settings": settings, **config.get(name, {})})
                for name in PACKS
            ),
        )

    return make


@BOTH_WAYS
def test_offline_and_through_the_engine_every_rule_refuses_the_same(request_of):
    agree("aws", request_of)


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_what_is_broken_or_hidden_on_other_clouds_is_refused_the_same(cloud, request_of):
    agree(cloud, request_of)


def agree(cloud: str, request_of) -> None:
    cases = CASES[cloud]
    expected = offline(cases, JUDGED, Usage(**USAGE))
    for case in cases:
        rule = case.removeprefix(HIDDEN)
        assert any(one == rule and name.startswith(f"{case}-") for one, name in expected), case

    def program() -> None:
        for case, made in cases.items():
            register(case, made)

    outcome = lifecycle.preview(request_of(program))

    assert outcome.ending == "refused", (outcome.reason, outcome.refusals)
    assert {(one.policy, short_name(one.urn)) for one in outcome.findings} == expected


def test_the_share_on_spot_is_the_whole_stacks_and_configuration_sets_it(request_of):
    def program() -> None:
        register("share", cluster().program)

    share = {"spot": {"spot-share": {"minimum": "60%"}}}
    outcome = lifecycle.preview(request_of(program, **share))

    assert outcome.ending == "refused", (outcome.reason, outcome.refusals)
    assert [one.policy for one in outcome.findings] == ["spot-share"]
    assert "0 of 32 GPUs on spot, fewer than 60%" in outcome.reason

    advisory = {"spot": {"spot-share": {"minimum": "60%", "enforcementLevel": "advisory"}}}
    outcome = lifecycle.preview(request_of(program, **advisory))
    assert outcome.ok, outcome.reason
    assert [one.level for one in outcome.findings] == ["advisory"]


@pytest.mark.parametrize("folder", sorted(POLICIES.glob("*/")), ids=lambda folder: folder.name)
def test_a_pack_lists_the_rules_of_its_family_and_nothing_else(folder: Path):
    text = (folder / "__main__.py").read_text()
    assert len(text.splitlines()) <= 10
    family = {rule.id for rule in RULES if rule.family == folder.name}
    assert family == {rule.id for rule in RULES if f'"{rule.id}"' in text}


def test_a_mistake_in_the_configuration_is_refused_in_plain_words(sandbox_environment):
    """Whoever gives a cap under a wrong name has none; a traceback would not tell that."""
    budget = {"settings": {"as_of": AS_OF, "budget": {"per_huor": 260}}}
    spot = {"spot-share": {"minimun": "60%"}}
    outcome = lifecycle.preview(
        Request(
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
    said = {one.policy: one.message for one in outcome.findings}
    assert "unknown key 'per_huor' in budget. Did you mean 'per_hour'?" in said["settings"]
    assert "no such setting ('minimun'). Did you mean 'minimum'?" in said["spot-share"]
    everything = (*said.values(), *(one.message for one in outcome.diagnostics))
    assert not any("Traceback" in text or "Extra inputs" in text for text in everything)
