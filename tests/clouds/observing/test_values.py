"""Facts that may be unknown, put together without looking further than it takes."""

from itertools import product

import pytest

from gpuinfra.clouds.observing.values import all_of, any_of
from gpuinfra.model import UNKNOWN


@pytest.mark.parametrize("facts", list(product([True, False, UNKNOWN], repeat=3)))
def test_three_valued_truth(facts):
    unsure = UNKNOWN in facts
    assert any_of(facts) is (True if True in facts else UNKNOWN if unsure else False)
    assert all_of(facts) is (False if False in facts else UNKNOWN if unsure else True)


def test_of_nothing():
    assert any_of(()) is False
    assert all_of(()) is True


@pytest.mark.parametrize(("together", "deciding"), [(any_of, True), (all_of, False)])
def test_nothing_is_asked_after_the_deciding_one(together, deciding):
    facts = []

    def ask(fact):
        facts.append(fact)
        return fact

    assert together(ask(fact) for fact in (UNKNOWN, deciding, UNKNOWN, deciding)) is deciding
    assert facts == [UNKNOWN, deciding]
