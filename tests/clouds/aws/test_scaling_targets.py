"""A scalable target sets the capacity of what it names, which has to be of the same stack."""

import pytest

from gpuinfra.clouds import machineless_types
from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.tables import PRICES, TABLES
from gpuinfra.model import UNKNOWN
from tests.rules.cases.program import Program

TARGET = "aws:appautoscaling/target:Target"
ENDPOINT = "aws:sagemaker/endpoint:Endpoint"
SERVICE = "aws:ecs/service:Service"
SCALES = TABLES.table("may_start")["scales"]
OWNERS = {kind for owners in SCALES["owners"].values() for kind in owners}


def reasons(program, moment="created"):
    rows = observe(program.resources(moment)).not_judged
    return [row.reason for row in rows if row.type == TARGET and row.may_start_machines]


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("sagemaker", "endpoint/prod-llm/variant/a"),
        ("sagemaker", "inference-component/prod-llm"),
        ("sagemaker", UNKNOWN),
        ("ecs", "service/prod/llm"),
        ("elasticmapreduce", "instancegroup/j-1/ig-1"),
        ("appstream", "fleet/prod"),
        ("rds", "cluster:prod"),
        ("neptune", "cluster:prod"),
        ("elasticache", "replication-group/prod"),
        ("workspaces", "workspacespool/prod"),
        ("kafka", "arn:aws:kafka:us-east-1:1:cluster/prod"),
        ("comprehend", "arn:aws:comprehend:us-east-1:1:document-classifier-endpoint/prod"),
        ("custom-resource", "https://example.com/prod"),
        ("one-of-tomorrow", "thing/prod"),
    ],
)
def test_what_another_stack_has_may_not_be_raised(namespace, name):
    program = Program()
    program.add(ENDPOINT, "own", name="own")
    program.add(TARGET, "t", serviceNamespace=namespace, resourceId=name, maxCapacity=500)
    where = "a resource" if name is UNKNOWN else name

    assert reasons(program) == [f"it sets the capacity of {where}, which is not declared here"]


@pytest.mark.parametrize(
    ("known", "moment"), [(True, "created"), (True, "preview"), (False, "preview")]
)
def test_what_the_stack_has_is_judged_where_it_is_declared(known, moment):
    program = Program()
    own = program.add(SERVICE, "s", name="llm", launchType="EC2")
    name = "service/prod/llm" if known else own.out("name")
    program.add(TARGET, "t", serviceNamespace="ecs", resourceId=name, maxCapacity=9)

    assert reasons(program, moment) == []


@pytest.mark.parametrize(
    ("namespace", "kind", "key", "name"),
    [
        ("sagemaker", ENDPOINT, "name", "endpoint/own/variant/a"),
        ("elasticache", "aws:elasticache/cluster:Cluster", "clusterId", "cache-cluster/own"),
        ("rds", "aws:rds/cluster:Cluster", "clusterIdentifier", "cluster:own"),
        ("kafka", "aws:msk/cluster:Cluster", "arn", "arn:aws:kafka:us-east-1:1:cluster/own"),
    ],
)
def test_each_service_has_a_form_of_its_names(namespace, kind, key, name):
    program = Program()
    program.add(kind, "o", **{key: name if key == "arn" else "own"})
    program.add(TARGET, "t", serviceNamespace=namespace, resourceId=name, maxCapacity=9)

    assert reasons(program) == []


def test_a_variant_called_as_an_endpoint_of_the_stack_is_not_it():
    program = Program()
    program.add(ENDPOINT, "o", name="own")
    name = "endpoint/prod/variant/own"
    program.add(TARGET, "t", serviceNamespace="sagemaker", resourceId=name, maxCapacity=9)

    assert len(reasons(program)) == 1


def test_concurrency_that_a_serverless_endpoint_keeps_is_paid_for():
    program = Program()
    program.add(ENDPOINT, "o", name="own")
    kept = {"scalableDimension": "sagemaker:variant:DesiredProvisionedConcurrency"}
    name = {"serviceNamespace": "sagemaker", "resourceId": "endpoint/own/variant/a"}
    program.add(TARGET, "t", maxCapacity=9, **name, **kept)

    assert ["concurrency" in reason for reason in reasons(program)] == [True]


def test_a_target_that_may_only_be_zero_raises_nothing():
    program = Program()
    program.add(TARGET, "t", serviceNamespace="ecs", resourceId="service/a/b", maxCapacity=0)

    assert reasons(program) == []


@pytest.mark.parametrize("kind", sorted(OWNERS - {SERVICE}))
def test_each_owner_is_refused_itself(kind):
    assert machineless_types.reason(kind) == ""
    assert PRICES.free_type_row(kind) is None
