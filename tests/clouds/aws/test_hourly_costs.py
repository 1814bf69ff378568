"""Endpoints of SageMaker pay for the instances of their variants; what scales counts at most."""

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

CONFIG = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
ENDPOINT = "aws:sagemaker/endpoint:Endpoint"
TARGET = "aws:appautoscaling/target:Target"
CACHES = "aws:elasticache/replicationGroup:ReplicationGroup"
G5 = {
    "variantName": "a",
    "modelName": "m",
    "instanceType": "ml.g5.xlarge",
    "initialInstanceCount": 1,
}
M5 = {**G5, "instanceType": "ml.m5.xlarge"}


def endpoint(*variants, endpoints=1, **inputs):
    program = Program()
    config = program.add(CONFIG, "c", productionVariants=list(variants), **inputs)
    for number in range(endpoints):
        program.add(ENDPOINT, f"e{number}", endpointConfigName=config.out("name"))
    return program


def paid(program, moment="created"):
    return [(row.item, row.quantity) for row in observe(program.resources(moment)).items]


def refused(program):
    return [row.type for row in observe(program.resources()).not_judged if row.may_start_machines]


@both
@pytest.mark.parametrize(
    ("variants", "expected"),
    [
        ([G5], [("sagemaker-hosting-g5.xlarge", 2)]),
        (
            [G5, {**G5, "initialInstanceCount": 3}],
            [("sagemaker-hosting-g5.xlarge", n) for n in (2, 6)],
        ),
        (
            [{**G5, "managedInstanceScaling": {"maxInstanceCount": 5}}],
            [("sagemaker-hosting-g5.xlarge", 10)],
        ),
        ([{**G5, "initialInstanceCount": None}], [("sagemaker-hosting-g5.xlarge", UNKNOWN)]),
        ([M5], [("sagemaker-hosting-m5.xlarge", 2), ("sagemaker-hosting-storage", None)]),
        (
            [{**M5, "volumeSizeInGb": 30}],
            [("sagemaker-hosting-m5.xlarge", 2), ("sagemaker-hosting-storage", 60)],
        ),
    ],
)
def test_an_endpoint_pays_for_its_instances_and_those_of_an_update(variants, expected, moment):
    program = endpoint(*variants)

    assert paid(program, moment) == expected
    assert refused(program) == []


def test_shadow_variants_and_further_endpoints_pay_too():
    assert paid(endpoint(G5, shadowProductionVariants=[G5])) == paid(endpoint(G5)) * 2
    assert paid(endpoint(G5, endpoints=3)) == paid(endpoint(G5)) * 3


@pytest.mark.parametrize(
    ("namespace", "most", "instances"),
    [("sagemaker", 4, 8), ("sagemaker", UNKNOWN, UNKNOWN), (UNKNOWN, 4, 8), ("dynamodb", 4, 2)],
)
def test_an_endpoint_counts_at_the_most_that_it_scales_to(namespace, most, instances):
    program = endpoint(G5)
    program.add(TARGET, "t", serviceNamespace=namespace, maxCapacity=most, resourceId="x")

    assert paid(program) == [("sagemaker-hosting-g5.xlarge", instances)]


@pytest.mark.parametrize("variant", [{**G5, "instanceType": "ml.p5.48xlarge"}, UNKNOWN])
def test_an_instance_without_a_price_is_not_free(variant):
    program = endpoint(G5, variant)

    assert paid(program) == []
    assert refused(program) == [CONFIG, ENDPOINT]


@pytest.mark.parametrize(("namespace", "known"), [("elasticache", False), ("sagemaker", True)])
def test_the_nodes_of_a_cache_that_scales_are_not_known(namespace, known):
    program = Program()
    program.add(CACHES, "it", nodeType="cache.t3.micro", numCacheClusters=2)
    program.add(TARGET, "t", serviceNamespace=namespace, maxCapacity=4, resourceId="x")

    assert bool(paid(program)) is known
    assert (CACHES in refused(program)) is not known


DOMAIN = "aws:opensearch/domain:Domain"
THREE = {"instanceType": "r7g.large.search", "instanceCount": 3}
SMALL = {"instanceType": "t3.small.search"}
MASTERS = {"dedicatedMasterEnabled": True, "dedicatedMasterType": "m7g.large.search"}
DISK = {"ebsEnabled": True, "volumeSize": 20}


def domain(cluster, disk=DISK, **more):
    program = Program()
    program.add(DOMAIN, "d", clusterConfig=cluster, ebsOptions=disk, **more)
    return program


@pytest.mark.parametrize(
    ("cluster", "disk", "expected"),
    [
        (SMALL, DISK, {"t3.small": 1, "gp2-storage": 20}),
        (THREE, {**DISK, "volumeType": "gp3"}, {"r7g.large": 3, "gp3-storage": 60}),
        (
            {**THREE, **MASTERS},
            DISK,
            {"r7g.large": 3, "m7g.large": 3, "gp2-storage": 60},
        ),
        ({**SMALL, "instanceCount": UNKNOWN}, None, {"t3.small": UNKNOWN}),
    ],
)
def test_a_domain_of_opensearch_pays_for_nodes_masters_and_disks(cluster, disk, expected):
    program = domain(cluster, disk)
    paid_for = {item.removeprefix("opensearch-"): quantity for item, quantity in paid(program)}

    assert paid_for == expected
    assert refused(program) == []


@pytest.mark.parametrize(
    ("cluster", "disk", "more"),
    [
        ({"instanceCount": 3}, DISK, {}),
        ({"instanceType": "r9z.large.search"}, DISK, {}),
        ({"instanceType": UNKNOWN}, DISK, {}),
        (UNKNOWN, DISK, {}),
        ({**THREE, "dedicatedMasterEnabled": True}, DISK, {}),
        ({**THREE, "dedicatedMasterEnabled": UNKNOWN}, DISK, {}),
        ({**THREE, "warmEnabled": True, "warmCount": 2}, DISK, {}),
        (THREE, {**DISK, "volumeType": "io1", "iops": 1000}, {}),
        (THREE, {**DISK, "volumeType": "gp3", "throughput": 500}, {}),
        (THREE, DISK, {"engineVersion": "Elasticsearch_5.6"}),
        (THREE, DISK, {"engineVersion": UNKNOWN}),
    ],
)
def test_what_a_domain_states_beyond_the_table_is_not_priced(cluster, disk, more):
    assert refused(domain(cluster, disk, **more)) == [DOMAIN]
