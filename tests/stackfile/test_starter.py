"""The starter is sound on every cloud, and explains every block."""

from datetime import date

import pytest

from gpuinfra import cost, planning, rules
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.errors import InputError
from gpuinfra.stackfile import loads
from gpuinfra.stackfile.starter import STARTERS, starter

every_cloud = pytest.mark.parametrize("cloud", CLOUDS)


def test_every_cloud_has_a_starter():
    assert tuple(STARTERS) == CLOUDS


@every_cloud
def test_the_starter_is_sound(cloud):
    stack = loads(starter("demo", cloud)).stack

    assert stack.name == "demo"
    assert stack.where.cloud == cloud
    assert stack.where.regions == (provider_of(cloud).regions.default,)
    assert not stack.prices.accept_outdated
    assert stack.training
    assert stack.inference
    assert stack.buckets


@every_cloud
def test_the_starter_is_fine(cloud):
    stack = loads(starter("demo", cloud)).stack
    today = date(2026, 11, 21)
    plan = planning.from_stack(stack)
    quote = cost.estimate(plan, cost.PricingTerms(as_of=today))
    plan = cost.plan_on_active_rungs(plan, quote)
    verdict = rules.judge(plan, quote, settings=stack.rules, waivers=(), today=today)

    assert [finding for finding in verdict.findings if finding.refuses] == []
    assert [rung for rung in quote.rungs if rung.skip_reason] == []


@every_cloud
def test_every_block_has_a_comment(cloud):
    lines = starter("demo", cloud).splitlines()
    blocks = [number for number, line in enumerate(lines) if line[:1].isalpha()]

    assert "@" not in "".join(lines).replace("ml-platform@example.com", "")
    assert max(map(len, lines)) < 100
    for number in blocks:
        if not lines[number].startswith(("version", "name")):
            assert "#" in lines[number] or lines[number - 1].startswith("#")


@pytest.mark.parametrize("name", ["Bad Name", "x", "a: b", "x\nowner: you", ""])
def test_a_bad_name_is_refused(name):
    with pytest.raises(InputError, match="name is"):
        starter(name)
