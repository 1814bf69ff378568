"""The work on a plan grows with its groups, not with their square: it is counted in lines run."""

import sys
from collections.abc import Callable, Iterator
from datetime import date

import pytest

from gpuinfra import cost, rules
from gpuinfra.cost import PricingTerms, Quote
from gpuinfra.model import Caps, Plan, Resource
from gpuinfra.planning import from_resources, from_stack
from gpuinfra.specs.schema import Stack

DAY = date(2026, 11, 21)
TERMS = PricingTerms(as_of=DAY, accept_outdated=True)
SMALL, LARGE = 30, 120
LIMIT = 1.3
"""How much more than four times as much four times the groups may take."""

CAPS = {"cap-per-workload": {"per_hour": 1, "per_month": 1}}


def _machines(count: int, **inputs: str) -> Iterator[Resource]:
    kind = "aws:ec2/instance:Instance"
    for number in range(count):
        yield Resource(
            urn=f"urn:pulumi:dev::shop::{kind}::m{number}",
            type=kind,
            name=f"m{number}",
            inputs={"instanceType": "p5.48xlarge", "ami": "ami-0123456789abcdef0", **inputs},
            region="us-east-1",
        )


def _plan(count: int) -> Plan:
    return from_resources(list(_machines(count)), name="shop", caps=Caps())


def _judge(plan: Plan, quote: Quote) -> None:
    rules.judge(plan, quote, settings=CAPS, waivers=(), today=DAY)


def _quoted(count: int) -> Callable[[], object]:
    plan = _plan(count)
    return lambda: cost.estimate(plan, TERMS)


def _judged(count: int) -> Callable[[], object]:
    plan = _plan(count)
    quote = cost.estimate(plan, TERMS)
    return lambda: _judge(plan, quote)


def _lines_run(work: Callable[[], object]) -> int:
    count = 0

    def trace(*_: object):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def _quoted_with_one_network(count: int) -> Callable[[], object]:
    work = {"gpu": "H100:8", "duration": "72h", "capacity": ["spot", "on-demand"]}
    stack = Stack.model_validate(
        {
            "version": 1,
            "name": "shop",
            "owner": "ml",
            "budget": {"per_hour": 1_000_000},
            "where": {"cloud": "aws", "regions": ["us-east-1", "us-west-2"]},
            "network": {"shared": True},
            "training": {f"w{number}": work for number in range(count)},
        }
    )
    plan = from_stack(stack)
    return lambda: cost.estimate(plan, TERMS)


@pytest.mark.slow
@pytest.mark.parametrize("made", [_quoted, _quoted_with_one_network, _judged])
def test_work_grows_with_the_groups_not_with_their_square(made) -> None:
    made(SMALL)()  # what is read once is read now
    small, large = (_lines_run(made(count)) for count in (SMALL, LARGE))
    assert large / small < LIMIT * LARGE / SMALL
