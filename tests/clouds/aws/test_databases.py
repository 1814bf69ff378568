"""A database of RDS pays for its instance, its storage and its IOPS."""

from datetime import date
from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.provider import PROVIDER
from gpuinfra.clouds.observing import hourly_services
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

DATABASE = "aws:rds/instance:Instance"
SMALL = {"engine": "mysql", "instanceClass": "db.t3.micro", "allocatedStorage": 20}


def rows(moment="preview", **inputs):
    program = Program()
    program.add(DATABASE, "db", **{**SMALL, **inputs})
    return observe(program.resources(moment))


def quantities(**inputs):
    return {item.item: item.quantity for item in rows(**inputs).items}


def reasons(**inputs):
    return [row.reason for row in rows(**inputs).not_judged]


@both
@pytest.mark.parametrize(
    ("inputs", "paid"),
    [
        ({}, {"rds-mysql-t3.micro": 1, "rds-gp2-storage": 20}),
        ({"maxAllocatedStorage": 100}, {"rds-mysql-t3.micro": 1, "rds-gp2-storage": 100}),
        (
            {"engine": "postgres", "instanceClass": "db.m6g.large", "storageType": "gp3"},
            {"rds-postgres-m6g.large": 1, "rds-gp3-storage": 20},
        ),
        (
            {"iops": 1000},
            {"rds-mysql-t3.micro": 1, "rds-io1-storage": 20, "rds-io1-iops": 1000},
        ),
        (
            {"storageType": "io1"},
            {"rds-mysql-t3.micro": 1, "rds-io1-storage": 20, "rds-io1-iops": UNKNOWN},
        ),
        (
            {"allocatedStorage": None},
            {"rds-mysql-t3.micro": 1, "rds-gp2-storage": UNKNOWN},
        ),
        (
            {"maxAllocatedStorage": UNKNOWN},
            {"rds-mysql-t3.micro": 1, "rds-gp2-storage": UNKNOWN},
        ),
    ],
)
def test_a_database_pays_for_its_class_and_the_most_storage(moment, inputs, paid):
    seen = rows(moment, **inputs)

    assert {item.item: item.quantity for item in seen.items} == paid
    assert seen.not_judged == ()


@pytest.mark.parametrize(
    "inputs",
    [
        {"engine": "oracle-se2"},
        {"engine": UNKNOWN},
        {"engine": None},
        {"instanceClass": "db.x2g.metal"},
        {"instanceClass": UNKNOWN},
    ],
)
def test_a_database_of_another_class_is_not_free(inputs):
    assert quantities(**inputs) == {}
    assert reasons(**inputs) == ["it is a database on servers of its own, whose price is unknown"]


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"multiAz": True}, "two zones"),
        ({"multiAz": UNKNOWN}, "two zones"),
        ({"storageType": "gp3", "iops": 12000}, "IOPS"),
        ({"storageType": "gp3", "storageThroughput": 500}, "IOPS"),
        ({"storageType": "io2", "iops": 1000}, "IOPS"),
        ({"dedicatedLogVolume": True}, "log volume"),
        (
            {"performanceInsightsRetentionPeriod": 731},
            "Performance Insights kept for more than 7 days",
        ),
        (
            {"performanceInsightsRetentionPeriod": UNKNOWN},
            "Performance Insights kept for more than 7 days",
        ),
    ],
)
def test_what_costs_more_than_the_tables_have_is_told(inputs, told):
    (reason,) = reasons(**inputs)

    assert told in reason
    assert quantities(**inputs)["rds-mysql-t3.micro"] == 1


@pytest.mark.parametrize(
    ("engine", "version", "extended"),
    [
        ("mysql", None, False),
        ("mysql", "5.7", True),
        ("mysql", "5.7.44", True),
        ("mysql", "8.0.36", True),
        ("mysql", "8.4", False),
        ("mysql", "8.40", True),
        ("mysql", UNKNOWN, True),
        ("postgres", "13.11", True),
        ("postgres", "14.12", False),
        ("postgres", "17", False),
        ("postgres", "99", True),
    ],
)
def test_a_version_past_its_support_costs_more(monkeypatch, engine, version, extended):
    monkeypatch.setattr(hourly_services, "today", lambda: date(2026, 11, 27))
    stated = {"engine": engine, "engineVersion": version}
    without = {**stated, "engineLifecycleSupport": "open-source-rds-extended-support-disabled"}

    assert any("Extended Support" in reason for reason in reasons(**stated)) is extended
    assert reasons(**without) == []


def test_each_item_has_a_price_and_a_type():
    for item in ("rds-mysql-t3.micro", "rds-postgres-r6g.large", "rds-gp2-storage"):
        assert len(PROVIDER.prices.rows_in_all_regions(item)) == 3
        assert PROVIDER.prices.token(item) == DATABASE
    (price,) = PROVIDER.prices.rows("rds-mysql-t3.micro", "us-east-1", "list")
    assert price.per_unit == Decimal("0.017")
