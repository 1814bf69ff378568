"""A pack counts what `check` counts: updates of nodes, fixed prices, groups in reservations."""

import pytest

from tests.crossguard.resources import BUDGET, FIRST, GROUP, MACHINE, TEMPLATE, capped, stands
from tests.crossguard.wire import LATER

NODES = "aws:eks/nodeGroup:NodeGroup"
KEPT = "aws:ec2/capacityReservation:CapacityReservation"


@pytest.mark.parametrize(
    ("config", "refused"),
    [
        ({}, {"cap-per-hour"}),
        ({"updateStrategy": "MINIMAL"}, set()),
        ({"maxUnavailable": 3, "updateStrategy": "DEFAULT"}, {"cap-per-hour"}),
    ],
)
def test_the_nodes_that_an_update_starts_first(engine, config, refused):
    nodes = {
        "clusterName": "c",
        "instanceTypes": ["g6.xlarge"],
        "subnetIds": ["subnet-a"],
        "scalingConfig": {"minSize": 0, "maxSize": 10},
        "updateConfig": config,
    }
    assert set(engine(*BUDGET, **capped(9)).show(NODES, "nodes", nodes)) == refused


@pytest.mark.parametrize(
    ("token", "inputs", "refused"),
    [
        ("aws:shield/subscription:Subscription", {}, True),
        ("aws:apigateway/stage:Stage", {"cacheClusterEnabled": True}, True),
        ("aws:apigateway/stage:Stage", {}, False),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Premium"}}, True),
        ("azure-native:servicebus:Namespace", {"sku": {"name": "Basic"}}, False),
        ("azure-native:monitor:ActionGroup", {"webhookReceivers": [{"name": "w"}]}, True),
        ("azure-native:monitor:ActionGroup", {"emailReceivers": [{"name": "e"}]}, False),
    ],
)
def test_what_costs_or_starts_something_without_a_machine_of_its_own(
    engine, token, inputs, refused
):
    refusals = engine(*BUDGET, **capped(60)).show(token, "it", inputs)
    assert ("price-unknown" in refusals) is refused
    assert refused or not refusals


@pytest.mark.parametrize("least", [0, 2])
def test_a_group_that_grows_within_what_is_kept(engine, standing, least):
    kept = {"instanceType": "p5.48xlarge", "instanceCount": 2, "instancePlatform": "Linux/UNIX"}
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    inside = {**MACHINE, "capacityReservationSpecification": target}
    group = {
        "minSize": least,
        "maxSize": 2,
        "launchTemplate": {"id": "lt-1"},
        "availabilityZones": ["us-east-1a"],
    }
    standing.append(stands(KEPT, "kept", kept, id="cr-1"))
    standing.append(stands(TEMPLATE, "lt", inside, id="lt-1", **FIRST))
    standing.append(stands(GROUP, "g", group, id="g"))
    run = engine(*BUDGET, **capped(120))
    assert run.show(GROUP, "g", group) == {}
    assert "cap-per-hour" in run.show(GROUP, "g", {**group, "maxSize": 3})


@pytest.mark.parametrize("least", [0, 2])
def test_a_new_group_that_grows_within_what_is_kept_with_it(engine, least):
    kept = {"instanceType": "p5.48xlarge", "instanceCount": 2, "instancePlatform": "Linux/UNIX"}
    target = {"capacityReservationTarget": {"capacityReservationId": LATER}}
    inside = {**MACHINE, "capacityReservationSpecification": target}
    group = {
        "minSize": least,
        "maxSize": 2,
        "launchTemplate": {"id": LATER},
        "availabilityZones": ["us-east-1a"],
    }
    run = engine(*BUDGET, dry_run=True, **capped(120))
    run.show(KEPT, "kept", kept)
    spec = {"capacityReservationSpecification": "kept"}
    run.show(TEMPLATE, "lt", inside, sources=spec)
    run.show(GROUP, "g", group, sources={"launchTemplate": "lt"})
    assert "cap-per-hour" not in run.end()


@pytest.mark.parametrize(
    ("preference", "zones", "refused"),
    [
        ("capacity-reservations-first", ["us-east-1a"], False),
        ("capacity-reservations-first", ["us-east-1a", "us-east-1b"], True),
        ("capacity-reservations-only", ["us-east-1a", "us-east-1b"], False),
    ],
)
def test_a_new_group_that_may_start_beside_what_it_prefers(engine, preference, zones, refused):
    kept = {
        "instanceType": "p5.48xlarge",
        "instanceCount": 2,
        "instancePlatform": "Linux/UNIX",
        "availabilityZone": "us-east-1a",
    }
    group = {
        "minSize": 0,
        "maxSize": 2,
        "launchTemplate": {"id": LATER},
        "availabilityZones": zones,
        "suspendedProcesses": ["AZRebalance"],
        "capacityReservationSpecification": {
            "capacityReservationPreference": preference,
            "capacityReservationTarget": {"capacityReservationIds": [LATER]},
        },
    }
    run = engine(*BUDGET, dry_run=True, **capped(120))
    run.show(KEPT, "kept", kept)
    run.show(TEMPLATE, "lt", MACHINE)
    spec = {"launchTemplate": "lt", "capacityReservationSpecification": "kept"}
    run.show(GROUP, "g", group, sources=spec)
    assert ("cap-per-hour" in run.end()) is refused


GCP = {
    "kept": "gcp:compute/reservation:Reservation",
    "t": "gcp:compute/instanceTemplate:InstanceTemplate",
    "m": "gcp:compute/instanceGroupManager:InstanceGroupManager",
    "a": "gcp:compute/autoscaler:Autoscaler",
}


@pytest.mark.parametrize(("most", "refused"), [(2, False), (3, True)])
def test_a_managed_group_that_grows_within_what_is_kept_with_it(engine, most, refused):
    machine, zone = "a3-highgpu-8g", "us-central1-a"
    affinity = {
        "type": "SPECIFIC_RESERVATION",
        "specificReservation": {
            "key": "compute.googleapis.com/reservation-name",
            "values": ["kept"],
        },
    }
    shown = {
        "kept": {
            "name": "kept",
            "zone": zone,
            "specificReservationRequired": True,
            "specificReservation": {"count": 2, "instanceProperties": {"machineType": machine}},
        },
        "t": {"machineType": machine, "reservationAffinity": affinity},
        "m": {
            "zone": zone,
            "versions": [{"instanceTemplate": LATER}],
            "updatePolicy": {"type": "OPPORTUNISTIC", "maxSurgeFixed": 0},
        },
        "a": {
            "zone": zone,
            "target": LATER,
            "autoscalingPolicy": {"minReplicas": 0, "maxReplicas": most},
        },
    }
    run = engine(*BUDGET, dry_run=True, **capped(200))
    sources = {"m": {"versions": "t"}, "a": {"target": "m"}}
    refusals = [
        run.show(GCP[name], name, inputs, sources=sources.get(name, {}))
        for name, inputs in shown.items()
    ]
    assert any("cap-per-hour" in each for each in (*refusals, run.end())) is refused
