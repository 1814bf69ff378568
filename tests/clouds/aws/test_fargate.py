"""A service of ECS on Fargate pays for the size of its tasks, as many as may run at once."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.aws.observe import observe
from gpuinfra.clouds.aws.provider import PROVIDER
from gpuinfra.model import UNKNOWN
from tests.rules.cases.moments import both
from tests.rules.cases.program import Program

TASK = "aws:ecs/taskDefinition:TaskDefinition"
SERVICE = "aws:ecs/service:Service"
ON_FARGATE = {"launchType": "FARGATE", "desiredCount": 1}
UNJUDGED = ["its tasks may run on Fargate, and their size is not known"]


def rows(task, moment="preview", **service):
    program = Program()
    definition = program.add(TASK, "t", family="app", **task)
    program.add(SERVICE, "s", **{**ON_FARGATE, "taskDefinition": definition.arn, **service})
    return observe(program.resources(moment))


def quantities(task, moment="preview", **service):
    return {item.item: item.quantity for item in rows(task, moment, **service).items}


@both
@pytest.mark.parametrize(
    ("size", "vcpus", "memory"),
    [
        ({"cpu": "256", "memory": "512"}, "0.5", "1"),
        ({"cpu": 1024, "memory": 2048}, "2", "4"),
        ({"cpu": ".5 vCPU", "memory": "1 GB"}, "1", "2"),
        ({"cpu": "4 vcpu", "memory": "30GB"}, "8", "60"),
    ],
)
def test_tasks_pay_by_their_size_and_a_deployment_doubles_them(size, vcpus, memory, moment):
    assert quantities(size, moment) == {
        "fargate-vcpu": Decimal(vcpus),
        "fargate-memory": Decimal(memory),
    }


@pytest.mark.parametrize(
    ("platform", "item"),
    [
        ({"cpuArchitecture": "X86_64", "operatingSystemFamily": "LINUX"}, "fargate-vcpu"),
        ({"cpuArchitecture": "ARM64"}, "fargate-arm-vcpu"),
        ({"operatingSystemFamily": "WINDOWS_SERVER_2022_CORE"}, "fargate-windows-licence"),
    ],
)
def test_each_platform_has_its_price(platform, item):
    task = {"cpu": "1024", "memory": "2048", "runtimePlatform": platform}

    assert quantities(task)[item] == Decimal(2)


def test_storage_beyond_that_which_is_free_and_addresses_are_paid():
    task = {"cpu": "1024", "memory": "2048", "ephemeralStorage": {"sizeInGib": 50}}
    public = {"subnets": ["a"], "assignPublicIp": True}

    found = quantities(task, networkConfiguration=public, deploymentMaximumPercent=100)

    assert found["fargate-storage"] == Decimal(30)
    assert found["public-ipv4-hour"] == Decimal(1)
    assert "fargate-storage" not in quantities({**task, "ephemeralStorage": {"sizeInGib": 20}})


@pytest.mark.parametrize(
    ("task", "service"),
    [
        ({"cpu": UNKNOWN, "memory": "512"}, {}),
        ({"cpu": "256", "memory": UNKNOWN}, {}),
        ({"cpu": "256"}, {}),
        ({"cpu": "small", "memory": "512"}, {}),
        ({"cpu": "256", "memory": "512", "runtimePlatform": UNKNOWN}, {}),
        ({"cpu": "256", "memory": "512", "ephemeralStorage": {"sizeInGib": UNKNOWN}}, {}),
        ({"cpu": "256", "memory": "512"}, {"taskDefinition": "another:3"}),
    ],
)
def test_a_task_of_unknown_size_is_not_free(task, service):
    seen = rows(task, **service)

    assert [row.reason for row in seen.not_judged] == UNJUDGED
    assert seen.items == ()


@pytest.mark.parametrize("unknown", [{"desiredCount": UNKNOWN}, {"schedulingStrategy": "DAEMON"}])
def test_an_unknown_number_of_tasks_is_unknown(unknown):
    assert set(quantities({"cpu": "256", "memory": "512"}, **unknown).values()) == {UNKNOWN}


@pytest.mark.parametrize(
    ("service", "paid"),
    [
        ({"launchType": None}, True),
        ({"launchType": "EC2"}, False),
        ({"launchType": None, "capacityProviderStrategies": [{"capacityProvider": "own"}]}, False),
        (
            {
                "launchType": None,
                "capacityProviderStrategies": [{"capacityProvider": "FARGATE_SPOT"}],
            },
            True,
        ),
    ],
)
def test_what_may_run_on_fargate_is_counted_there(service, paid):
    assert bool(quantities({"cpu": "256", "memory": "512"}, **service)) is paid


def test_each_item_has_a_price():
    seen = {
        item
        for platform in ({}, {"cpuArchitecture": "ARM64"}, {"operatingSystemFamily": "WINDOWS"})
        for item in quantities(
            {
                "cpu": "256",
                "memory": "512",
                "runtimePlatform": platform,
                "ephemeralStorage": {"sizeInGib": 21},
            }
        )
    }

    assert len(seen) == 8
    assert seen <= set(PROVIDER.prices.service_items())
    assert {PROVIDER.prices.token(item) for item in seen} == {SERVICE}


@pytest.mark.parametrize(
    ("resource_id", "maximum"), [("service/c/s", 20), ("service/c/another", 2), (UNKNOWN, UNKNOWN)]
)
def test_a_target_of_an_unknown_name_may_be_that_of_the_service(resource_id, maximum):
    program = Program()
    definition = program.add(TASK, "t", family="app", cpu="1024", memory="2048")
    program.add(SERVICE, "s", name="s", taskDefinition=definition.arn, **ON_FARGATE)
    program.add(
        "aws:appautoscaling/target:Target",
        "t",
        serviceNamespace="ecs",
        resourceId=resource_id,
        maxCapacity=10,
    )
    items = {item.item: item.quantity for item in observe(program.resources("preview")).items}

    assert items["fargate-vcpu"] == maximum


@pytest.mark.parametrize(
    ("deployment", "tasks"),
    [
        ({}, 1),
        ({"deploymentController": {"type": "ECS"}}, 1),
        ({"deploymentConfiguration": {"strategy": "ROLLING"}}, 1),
        ({"deploymentController": {"type": "CODE_DEPLOY"}}, 2),
        ({"deploymentConfiguration": {"strategy": "BLUE_GREEN"}}, 2),
        ({"deploymentConfiguration": UNKNOWN}, 2),
    ],
)
def test_only_a_rolling_update_keeps_to_the_maximum_of_the_service(deployment, tasks):
    task = {"cpu": "1024", "memory": "2048"}

    assert quantities(task, deploymentMaximumPercent=100, **deployment)["fargate-vcpu"] == tasks


@pytest.mark.parametrize(
    ("task", "service", "on_fargate"),
    [
        ({"requiresCompatibilities": ["EC2"]}, {}, False),
        ({"requiresCompatibilities": ["EC2", "MANAGED_INSTANCES"]}, {}, False),
        ({"networkMode": "bridge"}, {}, False),
        ({"networkMode": "host"}, {"schedulingStrategy": "DAEMON"}, False),
        ({"requiresCompatibilities": ["EC2", "FARGATE"]}, {}, True),
        ({"requiresCompatibilities": [UNKNOWN]}, {}, True),
        ({"requiresCompatibilities": []}, {}, True),
        ({"networkMode": "awsvpc"}, {}, True),
        ({"networkMode": UNKNOWN}, {}, True),
        ({"requiresCompatibilities": ["EC2"]}, {"launchType": "FARGATE"}, True),
        ({"requiresCompatibilities": ["EC2"]}, {"taskDefinition": "app:1"}, True),
    ],
)
def test_a_task_definition_that_excludes_fargate_runs_on_machines(task, service, on_fargate):
    made = rows(task, **{"launchType": None, **service})

    assert [row.reason for row in made.not_judged] == (UNJUDGED if on_fargate else [])
    assert not made.items
