"""The static checks of AWS by pack: the engine refuses what a check offline refuses."""

import pytest

from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Pack, Request, Target
from gpuinfra.model import Usage
from gpuinfra.rules.waivers import short_name
from gpuinfra.sandbox.place import STRICT_VARIABLE
from tests.policies.ground import AS_OF, POLICIES
from tests.policies.programs import TOLD, offline, register
from tests.rules.cases.static_checks import CASES

pytestmark = pytest.mark.e2e


def test_every_static_check_speaks_through_the_engine_as_it_does_offline(sandbox_environment):
    asked = {case: one for case, one in CASES.items() if not one.early}
    rules = {static.rule for static in asked.values()}
    expected = offline({case: one.program for case, one in asked.items()}, rules, Usage())

    def program() -> None:
        for case, static in asked.items():
            register(case, static.program)

    outcome = lifecycle.preview(
        Request(
            project="static-checks",
            program=program,
            target=Target(
                name="sandbox", environment={**sandbox_environment, STRICT_VARIABLE: "0"}
            ),
            packs=(Pack(folder=POLICIES / "all", config={"settings": {"as_of": AS_OF}, **TOLD}),),
        )
    )
    found = {(one.policy, short_name(one.urn)) for one in outcome.findings}

    assert outcome.ok, (outcome.reason, outcome.refusals)
    assert {one for one in found if one[0] in rules} == expected
