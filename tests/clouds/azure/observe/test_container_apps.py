"""Container Apps pay for the size of their replicas, or for the instances of their environment."""

from decimal import Decimal

import pytest

from gpuinfra.clouds.azure.observe import observe
from gpuinfra.clouds.azure.provider import PROVIDER
from gpuinfra.model import UNKNOWN
from tests.clouds.azure.observe.observed import items, program_of, reasons
from tests.rules.cases.azure_program import AzureProgram

APP, ENVIRONMENT = "app:ContainerApp", "app:ManagedEnvironment"
SMALL = {"name": "web", "resources": {"cpu": 0.5, "memory": "1Gi"}}
SIDE = {"name": "side", "resources": {"cpu": 0.25, "memory": "0.5Gi"}}


def template(*containers, most=None):
    return {"containers": list(containers), "scale": {"maxReplicas": most}}


@pytest.mark.parametrize(
    ("inputs", "vcpus", "gib"),
    [
        ({"template": {"containers": [SMALL]}}, "10", "20"),
        ({"template": template(SMALL, most=1)}, "1", "2"),
        ({"template": template(SMALL, SIDE, most=3)}, "4.5", "9"),
        ({"template": template(SMALL, most=1), "workloadProfileName": "Consumption"}, "1", "2"),
    ],
)
def test_an_app_pays_for_its_replicas_and_an_update_doubles_them(inputs, vcpus, gib):
    app = program_of(APP, **inputs)

    assert items(app) == [
        ("container-apps-vcpu", "hour", Decimal(vcpus), "eastus"),
        ("container-apps-memory", "hour", Decimal(gib), "eastus"),
    ]
    assert reasons(app) == []


@pytest.mark.parametrize(
    "inputs",
    [
        {"template": template(SMALL, most=UNKNOWN)},
        {
            "template": template(SMALL, most=1),
            "configuration": {"activeRevisionsMode": "Multiple"},
        },
        {"template": template(SMALL, most=1), "configuration": UNKNOWN},
    ],
)
def test_an_unknown_number_of_replicas_is_unknown(inputs):
    assert {row[2] for row in items(program_of(APP, **inputs))} == {UNKNOWN}


@pytest.mark.parametrize(
    "shape",
    [
        None,
        UNKNOWN,
        {"containers": [{"name": "web"}]},
        {"containers": [{"resources": {"cpu": UNKNOWN, "memory": "1Gi"}}]},
        {"containers": [{"resources": {"cpu": 1, "memory": "1 pound"}}]},
        {"containers": UNKNOWN},
    ],
)
def test_a_replica_of_unknown_size_is_not_free(shape):
    app = program_of(APP, template=shape)

    assert items(app) == []
    (reason,) = reasons(app)
    assert "state resources.cpu and resources.memory" in reason


def environment_and_app(profiles, name):
    program = AzureProgram()
    env = program.add(f"azure-native:{ENVIRONMENT}", "env", workloadProfiles=profiles)
    program.add(
        f"azure-native:{APP}",
        "app",
        managedEnvironmentId=env.id,
        workloadProfileName=name,
        template=template(SMALL, most=1),
    )
    return program


def test_a_dedicated_profile_is_paid_by_its_instances_and_not_by_its_apps():
    big = {"name": "big", "workloadProfileType": "D8", "maximumCount": 3}
    program = environment_and_app([big], "big")

    assert items(program) == [
        ("container-apps-dedicated-vcpu", "hour", Decimal(24), "eastus"),
        ("container-apps-dedicated-memory", "hour", Decimal(96), "eastus"),
        ("container-apps-dedicated-management", "hour", Decimal(1), "eastus"),
    ]
    assert reasons(program) == []


def test_instances_without_a_maximum_are_unknown():
    program = program_of(
        ENVIRONMENT, workloadProfiles=[{"name": "big", "workloadProfileType": "E4"}]
    )

    assert [row[2] for row in items(program)] == [UNKNOWN, UNKNOWN, Decimal(1)]


@pytest.mark.parametrize(
    "profiles", [None, [{"name": "Consumption", "workloadProfileType": "Consumption"}]]
)
def test_an_environment_for_consumption_costs_nothing(profiles):
    environment = program_of(ENVIRONMENT, workloadProfiles=profiles)

    assert observe(environment.resources()).not_judged == ()
    assert items(environment) == []


@pytest.mark.parametrize("name", ["gpu", "Consumption"])
@pytest.mark.parametrize(
    ("kind", "of_app", "of_environment"),
    [
        ("Consumption-GPU-NC8as-T4", True, False),
        ("NC24-A100", True, True),
        ("Flex", True, True),
        (UNKNOWN, True, True),
    ],
)
def test_a_profile_without_a_price_is_not_free(name, kind, of_app, of_environment):
    program = environment_and_app([{"name": name, "workloadProfileType": kind}], name)
    told = {row.type for row in observe(program.resources()).not_judged}

    assert (f"azure-native:{APP}" in told) is of_app
    assert (f"azure-native:{ENVIRONMENT}" in told) is of_environment


@pytest.mark.parametrize("name", ["elsewhere", UNKNOWN])
def test_a_profile_of_an_environment_elsewhere_is_not_known(name):
    app = program_of(APP, template=template(SMALL), workloadProfileName=name)

    assert reasons(app) == [
        "its workload profile is one of an environment that is not in this stack"
    ]
    assert reasons(program_of(ENVIRONMENT, workloadProfiles=UNKNOWN)) != []


def test_each_item_has_a_price_and_a_type():
    shown = {"container-apps-vcpu": APP, "container-apps-dedicated-vcpu": ENVIRONMENT}

    assert shown.keys() <= set(PROVIDER.prices.service_items())
    for item, kind in shown.items():
        assert PROVIDER.prices.token(item) == f"azure-native:{kind}"
