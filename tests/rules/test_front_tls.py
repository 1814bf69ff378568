"""A front is judged by its facts: who reaches it, and which TLS it takes."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN, Listener, Plan
from tests.rules.cases.judging import outcomes, plan


def front(**facts: Any) -> Plan:
    return plan(listeners=(Listener(name="web", subject="urn", cloud="aws", **facts),))


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        ({"public": UNKNOWN, "encrypted": False, "modern": None}, "not-knowable"),
        ({"public": UNKNOWN, "encrypted": True, "modern": False}, "not-knowable"),
        ({"public": UNKNOWN, "encrypted": True, "modern": UNKNOWN}, "not-knowable"),
        ({"public": UNKNOWN, "encrypted": True, "modern": True}, "fine"),  # public or private
        ({"public": True, "encrypted": True, "modern": UNKNOWN}, "not-knowable"),
        ({"public": True, "encrypted": UNKNOWN, "modern": None}, "not-knowable"),
        ({"public": True, "encrypted": True, "modern": None}, "fine"),
        ({"public": True, "encrypted": True, "modern": False}, "violated"),
        ({"public": False, "encrypted": False, "modern": False}, "fine"),
    ],
)
def test_a_front_is_judged_by_its_facts(facts, outcome):
    assert outcomes(front(**facts), "front-tls") == [outcome]


def test_without_a_front_nothing_is_judged():
    assert outcomes(plan(), "front-tls") == ["not-applicable"]
