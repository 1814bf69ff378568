"""The static checks of AWS, offline: each refused input, before and after its creation."""

import pytest

from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.static_checks import CASES

CHECKS = {f"a{number}" for number in range(1, 14)}


def test_every_check_has_a_case():
    assert {case.partition("-")[0] for case in CASES} == CHECKS


@both
@pytest.mark.parametrize("case", CASES)
def test_what_aws_refuses_is_violated_by_name(case, moment):
    static = CASES[case]
    (finding,) = findings(of_resources(static.program.resources(moment)), static.rule)

    assert finding.outcome == "violated"
    assert finding.refuses
    assert static.words in finding.message
    assert finding.fix
