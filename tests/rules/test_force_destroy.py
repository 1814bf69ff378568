"""Buckets that have objects are not deleted with their stack."""

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases.hygiene import bucket
from tests.rules.cases.judging import findings, of_resources, outcomes, plan
from tests.rules.cases.program import Program
from tests.rules.cases.verdicts import outcome_of, verdicts


@pytest.mark.parametrize(
    ("force", "expected"), [(True, "violated"), (None, "fine"), (UNKNOWN, "not-knowable")]
)
def test_a_bucket_of_aws_that_holds_anything_stays(force: object, expected: str) -> None:
    program = Program()
    program.add("aws:s3/bucket:Bucket", "data", forceDestroy=force)
    assert outcome_of(program, "force-destroy") == expected


@pytest.mark.parametrize(
    "kind",
    [
        "aws:s3/directoryBucket:DirectoryBucket",
        "aws:s3/vectorsVectorBucket:VectorsVectorBucket",
        "aws:s3tables/tableBucket:TableBucket",
    ],
)
@pytest.mark.parametrize(
    ("force", "expected"),
    [(True, ["violated"]), (False, []), (None, []), (UNKNOWN, ["not-knowable"])],
)
def test_a_bucket_of_another_kind_stays_too(kind: str, force: object, expected: list[str]) -> None:
    program = Program()
    data = program.add(kind, "data", forceDestroy=force)
    judged = findings(of_resources(program.resources()), "force-destroy")
    assert [each.outcome for each in judged if each.subject == data.urn] == expected


def test_a_bucket_that_takes_the_logs_of_others_may_go_with_them() -> None:
    program = Program()
    data = program.add("aws:s3/bucket:Bucket", "data")
    logs = program.add("aws:s3/bucket:Bucket", "logs", forceDestroy=True)
    program.add("aws:s3/bucketLogging:BucketLogging", "log", bucket=data.id, targetBucket=logs.id)
    assert [
        outcome for outcome, _ in verdicts(of_resources(program.resources()), "force-destroy")
    ] == ["fine", "not-applicable"]


@pytest.mark.parametrize(
    ("force_destroy", "outcome"),
    [
        (False, "fine"),
        (True, "violated"),
        (UNKNOWN, "not-knowable"),
        (None, "not-applicable"),
    ],
)
def test_a_bucket_is_kept_while_it_has_objects(force_destroy, outcome):
    judged = plan(buckets=(bucket(force_destroy=force_destroy),))
    assert outcomes(judged, "force-destroy") == [outcome]
    assert outcomes(plan(), "force-destroy") == ["not-applicable"]
