"""A trial is of the edits themselves, not of the words that show them."""

import pytest

from gpuinfra.errors import InputError, Problem
from gpuinfra.fixes.fix import Edit
from gpuinfra.fixes.trials import Trials
from gpuinfra.model import Resource
from tests.fixes.resources import judge, proposed

VOLUME = "aws:ebs/volume:Volume"


def urn(parent):
    return f"urn:pulumi:dev::shop::my:own:{parent}${VOLUME}::data"


def encrypted(parent):
    return Edit(path=("encrypted",), before=None, after=True, resource=urn(parent), type=VOLUME)


def policy(action):
    statements = [{"Sid": f"statement{number}", "Action": "s3:Get"} for number in range(20)]
    text = str([*statements, {"Sid": "last", "Action": action}])
    return Edit(path=("policy",), before=None, after=text, resource=urn("A"), type="iam")


ALIKE = {
    "one name under two parents": (encrypted("A"), encrypted("B")),
    "long texts that end otherwise": (policy("s3:Put"), policy("s3:Delete")),
}


@pytest.mark.parametrize("case", ALIKE)
def test_edits_that_look_alike_are_tried_each(case):
    left, other = ALIKE[case]
    tried = []

    def attempt(edits):
        tried.append(edits)
        raise InputError([Problem(message=str(len(tried)))])

    trials = Trials(attempt, 10)
    first, second = trials.outcome_of((left,)), trials.outcome_of((other,))

    assert str(left) == str(other)
    assert tried == [(left,), (other,)]
    assert first.open_findings != second.open_findings


def test_the_order_of_edits_is_no_matter():
    def attempt(_):
        raise InputError([Problem(message="no")])

    trials = Trials(attempt, 10)
    left, other = encrypted("A"), encrypted("B")

    first = trials.outcome_of((left, other))

    assert trials.outcome_of((other, left)) is first
    assert trials.tried == 1


def volumes():
    return [
        Resource(
            urn=urn(parent),
            type=VOLUME,
            name="data",
            inputs={"size": 100, "availabilityZone": "us-east-1a"},
            region="us-east-1",
        )
        for parent in "AB"
    ]


def test_volumes_of_one_name_are_each_settled():
    whole, *single = proposed(volumes()).fixes

    assert [edit.resource for edit in whole.edits] == [urn("A"), urn("B")]
    assert [[edit.resource for edit in fix.edits] for fix in single] == [[urn("A")], [urn("B")]]


def test_of_a_trial_no_verdict_is_kept():
    trials = Trials(lambda _: (judge(volumes()), False), 10)

    kept = trials.outcome_of(()).judged

    assert kept.plan == judge(volumes()).plan
    assert not hasattr(kept, "verdict")
