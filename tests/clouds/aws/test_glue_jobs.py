"""A job of Glue pays for the data processing units of its workers, as if it ran all the time."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.provider import PROVIDER
from gpuinfra.model import UNKNOWN
from tests.rules.cases.program import Program

JOB = "aws:glue/job:Job"
SPARK = {"name": "glueetl", "scriptLocation": "s3://scripts/job.py"}


def rows(**inputs):
    program = Program()
    program.add(JOB, "etl", **{"command": SPARK, **inputs})
    return observe(program.resources("preview"))


@pytest.mark.parametrize(
    ("inputs", "item", "units"),
    [
        ({}, "glue-dpu", "10"),
        ({"workerType": "G.1X", "numberOfWorkers": 4}, "glue-dpu", "4"),
        ({"workerType": "G.2X", "numberOfWorkers": 4}, "glue-dpu", "8"),
        ({"maxCapacity": 3}, "glue-dpu", "3"),
        ({"command": {"name": "pythonshell"}}, "glue-dpu", "0.0625"),
        ({"executionClass": "FLEX"}, "glue-flex-dpu", "10"),
        ({"executionProperty": {"maxConcurrentRuns": 3}}, "glue-dpu", "30"),
    ],
)
def test_a_job_pays_for_its_units(inputs, item, units):
    (row,) = rows(**inputs).items

    assert (row.item, row.quantity, row.unit) == (item, Decimal(units), "hour")


@pytest.mark.parametrize(
    "inputs",
    [
        {"workerType": "G.1X", "numberOfWorkers": UNKNOWN},
        {"workerType": "G.1X"},
        {"maxCapacity": UNKNOWN},
        {"executionProperty": {"maxConcurrentRuns": UNKNOWN}},
        {"executionProperty": UNKNOWN},
    ],
)
def test_an_unknown_number_of_units_is_unknown(inputs):
    (row,) = rows(**inputs).items

    assert row.quantity is UNKNOWN


@pytest.mark.parametrize(
    "inputs",
    [
        {"workerType": "R.1X", "numberOfWorkers": 2},
        {"workerType": UNKNOWN, "numberOfWorkers": 2},
        {"command": {"name": "glueray"}},
        {"command": UNKNOWN},
        {"executionClass": UNKNOWN},
        {"executionClass": "OTHER"},
    ],
)
def test_workers_without_a_price_are_not_free(inputs):
    seen = rows(**inputs)

    assert seen.items == ()
    assert [row.reason for row in seen.not_judged] == [
        "it starts workers of Glue, of a type without a known price"
    ]


def test_each_item_has_a_price_and_a_type():
    for item in ("glue-dpu", "glue-flex-dpu"):
        assert PROVIDER.prices.rows(item, "us-east-1", "list") != ()
        assert PROVIDER.prices.token(item) == JOB
