"""The cap of a run: its duration, and what only has a rate."""

from decimal import Decimal

from gpuinfra.model import Caps, Item
from tests.rules.cases.judging import findings, group, outcomes, plan

P5 = Decimal("55.04")


def test_a_run_has_its_duration():
    caps = Caps(per_run=P5 * 72)
    assert outcomes(plan(group(hours=Decimal(72)), caps=caps), "cap-per-run") == ["fine"]
    (finding,) = findings(plan(group(hours=Decimal(73)), caps=caps), "cap-per-run")
    assert (finding.outcome, finding.subject) == ("violated", "training.trainer")
    (finding,) = findings(plan(group(), caps=caps), "cap-per-run")
    assert finding.outcome == "not-knowable"
    assert "duration" in finding.fix
    pool = group(purpose="inference", name="chat")
    assert outcomes(plan(pool, caps=caps), "cap-per-run") == ["not-applicable"]
    assert outcomes(plan(group(purpose="unknown"), caps=caps), "cap-per-run") == ["not-knowable"]


def test_a_run_names_only_its_own_rates():
    caps = Caps(per_run=Decimal(10_000))
    rates = [
        Item(
            name=name,
            subject=name,
            kind="network",
            cloud="aws",
            item="nat-gateway-data",
            unit="GB",
            quantity=None,
            region="us-east-1",
            group=name,
        )
        for name in ("trainer", "other")
    ]
    other = group(name="other", purpose="inference")
    judged = plan(group(hours=Decimal(1)), other, caps=caps, items=tuple(rates))
    (finding,) = findings(judged, "cap-per-run")
    assert finding.message.endswith("usage-based, not counted: NAT gateway, data of trainer")


def test_a_run_without_a_cap_is_not_asked():
    assert outcomes(plan(group(), caps=Caps()), "cap-per-run") == ["not-applicable"]
