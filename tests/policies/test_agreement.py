"""One refused input per rule: offline and through the engine, the same rule says the same."""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, Request, Target
from gpuinfra.model import Caps, Usage
from gpuinfra.planning import from_resources
from gpuinfra.rules import RULES, judge
from gpuinfra.rules.waivers import short_name
from tests.policies.ground import AS_OF, POLICIES
from tests.rules.cases import stacks
from tests.rules.cases.cluster import Cluster, cluster, current_nics
from tests.rules.cases.program import Program, Ref
from tests.rules.test_rules_on_resources import BROKEN, BUCKETS

pytestmark = pytest.mark.e2e

PACKS = ("spot", "fabric", "security")
JUDGED = {rule.id for rule in RULES if rule.family in PACKS}


def broken_cluster(rule: str) -> Program:
    case = cluster()
    BROKEN[rule][0](case)
    return case.program


def broken_bucket(rule: str) -> Program:
    program, _, parts = stacks.good_bucket()
    part, bad, _ = BUCKETS[rule]
    program.change(parts[part], **bad)
    return program


def spot_cluster() -> Cluster:
    case = cluster()
    case.program.change(case.template, instanceMarketOptions={"marketType": "spot"})
    return case


def no_nvlink() -> Program:
    """Four cards of EFA, eight GPUs that only PCIe joins."""
    return cluster("g6e.48xlarge", nics=lambda group: current_nics(4, group)).program


CASES: Mapping[str, Program] = {
    **{rule: broken_cluster(rule) for rule in BROKEN},
    **{rule: broken_bucket(rule) for rule in BUCKETS},
    "spot-checkpoints": spot_cluster().program,
    "spot-interruptible": spot_cluster().program,
    "nvlink": no_nvlink(),
}
"""By rule, a program with one thing in it that the rule refuses."""

USAGE = {
    "checkpoints": {"spot-checkpoints-workers": False},
    "purpose": {"spot-interruptible-workers": "inference"},
    "nvlink": {"nvlink-workers": True},
}


DEMANDED: Mapping[str, Mapping[str, Any]] = {
    "aws:ec2/subnet:Subnet": {"cidrBlock": "10.0.1.0/24", "vpcId": "vpc-0abc"},
}
"""Inputs without which AWS takes no such resource, and that no rule reads."""


def named(rule: str, name: str) -> str:
    return f"{rule}-{name}"


def register(rule: str, program: Program) -> None:
    """Register a program raw, so that no SDK class checks or adds anything."""
    import pulumi

    made: dict[str, pulumi.Resource] = {}

    def make(urn: str) -> pulumi.Resource:
        if urn not in made:
            handle = program.handles[urn]
            given = {**DEMANDED.get(handle.type, {}), **handle.inputs}
            inputs = {key: value(one) for key, one in given.items()}
            outputs = {key: None for key in ("arn", "name") if key not in inputs}
            made[urn] = pulumi.CustomResource(
                handle.type, named(rule, handle.name), {**inputs, **outputs}
            )
        return made[urn]

    def value(given: Any) -> Any:
        if isinstance(given, Ref):
            return getattr(make(given.urn), given.key)
        if isinstance(given, Mapping):
            return {key: value(one) for key, one in given.items()}
        return [value(one) for one in given] if isinstance(given, list) else given

    for urn in program.handles:
        make(urn)


def offline(rule: str, program: Program) -> Iterator[tuple[str, str]]:
    """What refuses, by rule and subject, in a check without any engine."""
    usage = Usage(
        **{
            key: {name.removeprefix(f"{rule}-"): one for name, one in values.items()}
            for key, values in USAGE.items()
        }
    )
    plan = from_resources(
        program.resources("preview"), name="shop", caps=Caps(per_hour=Decimal(1)), usage=usage
    )
    verdict = judge(plan, None, {}, (), date.fromisoformat(AS_OF), only=JUDGED)
    for finding in verdict.findings:
        if finding.outcome in {"violated", "not-knowable"}:
            yield finding.rule, named(rule, short_name(finding.subject))


def test_every_rule_of_these_packs_but_one_has_a_case():
    """The share on spot is the whole stack's; it is tried by itself."""
    assert set(CASES) == JUDGED - {"spot-share"}


@pytest.fixture
def request_of(environment: dict[str, str]):
    """Makes a request for a program under the packs that are not about money."""

    def make(program, **config: Any) -> Request:
        settings = {"as_of": AS_OF, "usage": USAGE}
        return Request(
            project="agreement",
            program=program,
            target=Target(name="sandbox", environment=environment),
            packs=tuple(
                Pack(folder=POLICIES / name, config={"settings": settings, **config.get(name, {})})
                for name in PACKS
            ),
        )

    return make


def test_offline_and_through_the_engine_every_rule_refuses_the_same(request_of):
    expected = {found for rule, program in CASES.items() for found in offline(rule, program)}
    assert {rule for rule, _ in expected} == set(CASES)

    def program() -> None:
        for rule, case in CASES.items():
            register(rule, case)

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
