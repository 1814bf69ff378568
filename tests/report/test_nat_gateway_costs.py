"""A small workload is told what its NAT gateway costs, and how to do without."""

from datetime import date

import pytest

from gpuinfra.api.checking import check_stack
from gpuinfra.report.nat_gateway_costs import gateways

HEAD = "owner: me\nbudget: {per_hour: 300}\n"
ON = {
    "aws": "where: {cloud: aws, regions: [us-east-1]}\n",
    "gcp": "where: {cloud: gcp, regions: [us-central1]}\n",
    "azure": "where: {cloud: azure, regions: [eastus]}\n",
}
BOX = "training: {box: {gpu: T4:1}}\n"


@pytest.fixture
def told(tmp_path):
    def of(text):
        (tmp_path / "stack.yaml").write_text(HEAD + text)
        loaded = check_stack(tmp_path, {}, date(2026, 11, 21))
        return list(gateways(loaded.plan, loaded.quote))

    return of


def test_a_box_is_told_the_amount_and_the_ways_to_do_without(told):
    (words,) = told(ON["aws"] + BOX)

    assert words.startswith("box: its NAT gateway and address cost $36.50 a month until gpuinfra")
    assert "network: {vpc: vpc-…, subnets: [subnet-…]} uses yours" in words


def test_where_a_stack_file_takes_no_network_none_is_named(told):
    (words,) = told(ON["azure"] + BOX)

    assert "network:" not in words
    assert "destroy it between runs" in words


@pytest.mark.parametrize(
    "text",
    [
        ON["gcp"] + BOX,
        ON["aws"] + "training: {big: {gpu: H100:8}}\n",
        ON["aws"] + "network: {shared: true}\n" + BOX,
        ON["aws"] + "network: {vpc: vpc-0a1b2c3d, subnets: [subnet-0a1b2c3d]}\n" + BOX,
    ],
)
def test_one_that_is_small_shared_or_the_users_own_is_not_told(told, text):
    assert told(text) == []
