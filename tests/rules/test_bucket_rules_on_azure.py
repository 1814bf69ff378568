"""Rules about buckets on raw storage accounts of Azure."""

import pytest

from gpuinfra.rules import RULES
from tests.rules.cases import azure_stacks as stacks
from tests.rules.cases.azure_faults import BUCKETS
from tests.rules.cases.judging import findings, of_resources, outcomes
from tests.rules.cases.moments import both

TOLD = {"bucket-encrypted", "bucket-safeguards"}
"""Azure encrypts every account; safeguards are fine where nothing opens an account."""


def test_every_rule_about_buckets_has_a_case():
    about = {rule.id for rule in RULES if rule.id.startswith("bucket")}
    assert set(BUCKETS) == about - TOLD


@both
@pytest.mark.parametrize("rule", BUCKETS)
def test_buckets_fine_violated_and_not_knowable(rule, moment):
    part, bad, hidden = BUCKETS[rule]
    program, container, parts = stacks.good_bucket()
    assert outcomes(of_resources(program.resources(moment)), rule) == ["fine"]
    program.change(parts[part], **bad)
    (finding,) = findings(of_resources(program.resources(moment)), rule)
    assert (finding.outcome, finding.subject) == ("violated", container.urn)
    program.change(parts[part], **hidden)
    assert outcomes(of_resources(program.resources(moment)), rule) == ["not-knowable"]


def test_every_account_is_encrypted():
    program, _, _ = stacks.good_bucket()
    assert outcomes(of_resources(program.resources()), "bucket-encrypted") == ["fine"]
