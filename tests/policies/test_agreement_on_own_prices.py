"""A cap on the user's own prices: the same offline and in a pack, unless the pack has the cap."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.api.targets import request
from gpuinfra.cli.source import load
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome, Pack
from gpuinfra.rules.waivers import short_name
from tests.policies.ground import POLICIES

pytestmark = [
    pytest.mark.e2e,
    # The SDKs' own import warnings: as errors they leave half a module behind.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pulumi_.*"),
]

STACK = """\
version: 1
name: own-money
owner: ml
where: {cloud: aws, regions: [us-east-1]}
budget: {per_hour: 0.85}
prices: {accept_outdated: true}
training:
  trainer:
    instance: g6.xlarge
    capacity: on-demand
    duration: 4h
"""

PRICES = """\
version: 1
currency: EUR
exchange_rates: {EUR: 1.1}
discounts: [{cloud: aws, off: 10%, modes: [services]}]
prices: [{cloud: aws, machine: g6.xlarge, region: us-east-1, per_hour: 0.60}]
"""
"""0.66 USD instead of 0.8048: within the cap with the disk and the network, and only so."""


@pytest.fixture
def stack(tmp_path: Path, module_sandbox_home: Path) -> Callable[..., Path]:
    def write(prices: str) -> Path:
        (tmp_path / "stack.yaml").write_text(STACK)
        (tmp_path / "prices.yaml").write_text(prices)
        return tmp_path

    return write


def previewed(path: Path, **settings: Any) -> Outcome:
    preview = request(load(path), "sandbox", judged=False)
    pack = Pack(
        folder=POLICIES / "budget", config={"settings": {"loosening": "accepted", **settings}}
    )
    return lifecycle.preview(replace(preview, packs=(pack,)))


def refused(outcome: Outcome) -> set[tuple[str, str]]:
    return {
        (finding.policy, short_name(finding.urn))
        for finding in outcome.findings
        if finding.level == "mandatory"
    }


def checked(path: Path) -> set[str]:
    return {finding.rule for finding in load(path).verdict.findings if finding.refuses}


def test_what_own_prices_allow_is_allowed_in_the_pack_unless_it_refuses_them(stack):
    path = stack(PRICES)
    assert checked(path) == set()

    accepted = previewed(path)
    without = previewed(path, own_prices="refused")

    assert accepted.ok, (accepted.reason, accepted.findings, accepted.diagnostics)
    assert without.ending == "refused"
    assert {rule for rule, _ in refused(without)} == {"cap-per-hour"}


def test_own_prices_do_not_loosen_a_cap_of_the_packs_own_unless_it_accepts_them(stack):
    path = stack(PRICES)
    cap = {"per_hour": 0.85}

    loosened = previewed(path, budget=cap)
    accepted = previewed(path, budget=cap, own_prices="accepted")

    assert {rule for rule, _ in refused(loosened)} == {"cap-per-hour"}
    assert accepted.ok, (accepted.reason, accepted.findings, accepted.diagnostics)


def test_what_own_prices_forbid_is_refused_in_both(stack):
    path = stack(PRICES.replace("0.60", "0.90"))

    assert checked(path) == {"cap-per-hour"}
    assert {rule for rule, _ in refused(previewed(path))} == {"cap-per-hour"}
