"""The proof of a fabric on raw Azure resources."""

import pytest

from gpuinfra.rules import fabric_verdict
from tests.rules.cases.azure_cluster import cluster
from tests.rules.cases.azure_faults import BROKEN, HIDDEN
from tests.rules.cases.faults import seen
from tests.rules.cases.moments import both


@both
def test_the_proof_says_yes(moment):
    (proof,) = fabric_verdict(seen(cluster(), moment))
    assert proof.answer == "yes"
    assert "Standard_ND96isr_H100_v5 supports the fabric" in proof.reasons
    assert "driver image" in proof.reasons
    assert proof.unknown_facts == ()


@pytest.mark.parametrize("rule", [rule for rule in BROKEN if rule.startswith("fabric")])
def test_the_proof_says_no_with_the_rule_s_own_words(rule):
    case = cluster()
    spoil, words = BROKEN[rule]
    spoil(case)
    (proof,) = fabric_verdict(seen(case))
    assert proof.answer == "no"
    assert words in str(proof)


@pytest.mark.parametrize("rule", [rule for rule in HIDDEN if rule.startswith("fabric")])
def test_the_proof_does_not_guess(rule):
    case = cluster()
    HIDDEN[rule](case)
    (proof,) = fabric_verdict(seen(case))
    assert proof.answer == "not knowable yet"


def test_an_image_of_one_s_own_hides_its_driver():
    case = cluster()
    case.profile(storageProfile={"imageReference": {"id": "/subscriptions/s/mine"}})
    (proof,) = fabric_verdict(seen(case))
    assert proof.answer == "yes"
    assert proof.unknown_facts == (
        "could not verify that its image includes the fabric driver and the NCCL plugin",
    )


def test_machines_that_nothing_joins_are_told_why():
    case = cluster()
    case.program.change(case.scaling, singlePlacementGroup=False, overprovision=True)
    (proof,) = fabric_verdict(seen(case))
    assert proof.answer == "no"
    assert proof.reasons == (
        "its scale set has several placement groups, and InfiniBand connects only one",
    )
