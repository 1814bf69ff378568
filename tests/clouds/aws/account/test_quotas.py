import re

import pytest

from gpuinfra.clouds.aws.account import quotas
from gpuinfra.clouds.aws.machines import MACHINES


@pytest.mark.parametrize(
    ("type_", "market", "code"),
    [
        ("p5.48xlarge", "on-demand", "L-417A185B"),
        ("p6-b300.48xlarge", "on-demand", "L-417A185B"),
        ("p4d.24xlarge", "spot", "L-7212CCBC"),
        ("p5en.48xlarge", "spot", "L-C4BD4855"),
        ("g6.8xlarge", "on-demand", "L-DB2E81BA"),
        ("gr6.8xlarge", "spot", "L-3819A6DF"),
        ("trn1.32xlarge", "spot", "L-6B0D517C"),
        ("m7i.large", "on-demand", "L-1216C47A"),
    ],
)
def test_a_machine_draws_on_its_family_s_quota(type_, market, code):
    quota = quotas.quota(type_, market)

    assert quota is not None
    assert quota.code == code


def test_what_no_row_is_of_has_no_quota():
    assert quotas.quota("p6-b200.48xlarge", "spot") is None
    assert quotas.quota("hpc7a.96xlarge", "on-demand") is None


def test_every_machine_of_the_table_has_an_on_demand_quota():
    sold = [
        machine.type for machine in MACHINES.all_machines() if "on-demand" in machine.usage_classes
    ]

    assert sold
    assert [type_ for type_ in sold if quotas.quota(type_, "on-demand") is None] == []


def test_a_machine_is_of_one_quota_of_each_market():
    for machine in MACHINES.all_machines():
        for market in ("on-demand", "spot"):
            codes = [
                row.code
                for row in quotas.known_quotas()
                if row.market == market and re.match(row.types, machine.type)
            ]
            assert len(codes) <= 1, (machine.type, codes)


def test_every_row_has_a_source_and_a_code_of_its_own():
    rows = quotas.known_quotas()

    assert len({row.code for row in rows}) == len(rows)
    assert all(row.source.startswith("https://") and row.as_of for row in rows)


def test_the_request_is_a_command_as_it_is_typed():
    assert quotas.request("L-417A185B", "us-east-1", 384) == (
        "aws service-quotas request-service-quota-increase --service-code ec2 "
        "--quota-code L-417A185B --desired-value 384 --region us-east-1"
    )
