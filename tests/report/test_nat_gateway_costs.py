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
UNTIL = "until gpuinfra destroy, even with no machine"
BOX = "training: {box: {gpu: T4:1}}\n"


@pytest.fixture
def told(tmp_path):
    def of(text):
        (tmp_path / "stack.yaml").write_text(HEAD + text)
        loaded = check_stack(tmp_path, {}, date(2026, 11, 21))
        return list(gateways(loaded.plan, loaded.quote))

    return of


def test_a_box_is_told_the_amount_and_the_ways_to_do_without(told):
    assert told(ON["aws"] + BOX) == [
        "NAT gateway and address: $36.50 a month " + UNTIL,
        "  to avoid it, use your network: network: {vpc: …, subnets: […]}",
    ]


def test_a_shared_network_is_named_to_two_workloads_alone(told):
    assert told(ON["aws"] + "training: {box: {gpu: T4:1}, lab: {gpu: T4:1}}\n") == [
        "NAT gateway and address of each of box and lab: $36.50 a month " + UNTIL,
        "  to avoid it, use your network: network: {vpc: …, subnets: […]}",
        "  to have one for all workloads: network: {shared: true}",
    ]


def test_a_network_that_is_shared_is_named_on_its_cloud_alone(told):
    _, *ways = told(ON["azure"] + "training: {box: {gpu: T4:1}, lab: {gpu: T4:1}}\n")

    assert ways == ["  to avoid it, use your network: network: {vpc: …, subnets: […]}"]


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
