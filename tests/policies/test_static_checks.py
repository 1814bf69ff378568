"""The static checks of AWS by pack: the engine refuses what a check offline refuses."""

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, RunRequest, Target
from gpuinfra.model import Usage
from gpuinfra.rules.waivers import short_name
from gpuinfra.sandbox.sandbox_folder import STRICT_VARIABLE
from tests.policies.ground import AS_OF, POLICIES
from tests.policies.programs import TOLD, offline, register
from tests.rules.cases.static_checks import CASES

pytestmark = pytest.mark.e2e


def test_every_static_check_speaks_through_the_engine_as_it_does_offline(sandbox_environment):
    cases = {case: case_ for case, case_ in CASES.items() if not case_.early}
    rules = {static.rule for static in cases.values()}
    expected = offline({case: case_.program for case, case_ in cases.items()}, rules, Usage())

    def program() -> None:
        for case, static in cases.items():
            register(case, static.program)

    outcome = lifecycle.preview(
        RunRequest(
            project="static-checks",
            program=program,
            target=Target(
                name="sandbox", environment={**sandbox_environment, STRICT_VARIABLE: "0"}
            ),
            packs=(Pack(folder=POLICIES / "all", config={"settings": {"as_of": AS_OF}, **TOLD}),),
        )
    )
    refused = {(finding.policy, short_name(finding.urn)) for finding in outcome.findings}

    assert outcome.ok, (outcome.reason, outcome.refusals)
    assert {pair for pair in refused if pair[0] in rules} == expected
