import re
from decimal import Decimal
from typing import Any

import pytest

from gpuinfra.clouds.gcp.declare.scaling import metric
from gpuinfra.clouds.gcp.machines import machine
from gpuinfra.components.args import Mount, PoolArgs
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network
from gpuinfra.specs.schema import ScaleOn

LAB = "projects/host/global/networks/lab"
OWN = Network(
    vpc_id=LAB,
    subnet_ids=["projects/host/regions/us-central1/subnetworks/lab"],
    cidr_block="10.9.0.0/16",
)
MIXED = {"on_demand_base": 1, "above": "spot"}


def pool(*, args: dict[str, Any] | None = None, **more: Any) -> InferencePool:
    given = {
        "cloud": "gcp",
        "region": "us-central1",
        "gpu": "L4:1",
        "replicas": "2..20",
        "scale_on": {"gpu_utilization": "70%"},
        "capacity": MIXED,
        "image": "us-docker.pkg.dev/models/serving/vllm:v0.11.0",
        "port": 8000,
        "data": [Mount(bucket="data", prefix="models/")],
        "owner": "ml-platform",
        **(args or {}),
    }
    more.setdefault("buckets", {"data": "models-bucket"})
    return InferencePool("chat", PoolArgs(**given), **more)


def of_type(seen: Any, kind: str) -> list[Any]:
    return [resource for resource in seen.resources if resource.type.endswith(f":{kind}")]


def test_pool_is_the_golden_one(record, golden) -> None:
    golden("gcp-inference-pool", record(pool).golden())


def test_every_child_stands_under_the_component(record) -> None:
    seen = record(pool)
    (component,) = of_type(seen, "InferencePool")

    assert {resource.parent for resource in seen.resources if resource is not component} == {
        component.urn
    }
    assert all(
        resource.name.startswith("chat-")
        for resource in seen.resources
        if resource is not component
    )


def test_a_base_on_demand_and_spot_above_it_are_two_groups_of_one_service(record) -> None:
    seen = record(pool)
    base, above = seen.of("chat-group"), seen.of("chat-group-spot")
    (scaler,) = of_type(seen, "RegionAutoscaler")
    models = {
        template.name: template.inputs["scheduling"]["provisioningModel"]
        for template in of_type(seen, "InstanceTemplate")
    }

    assert models == {"chat-template": "STANDARD", "chat-template-spot": "SPOT"}
    assert base.inputs["targetSize"] == 1
    assert "targetSize" not in above.inputs
    assert scaler.inputs["target"] == above.outputs["selfLink"]
    assert bounds(scaler) == (1, 19)
    assert [backend["group"] for backend in seen.of("chat-backend").inputs["backends"]] == [
        base.outputs["instanceGroup"],
        above.outputs["instanceGroup"],
    ]
    assert base.inputs["baseInstanceName"] != above.inputs["baseInstanceName"]


def bounds(scaler: Any) -> tuple[int, int]:
    policy = scaler.inputs["autoscalingPolicy"]
    return policy["minReplicas"], policy["maxReplicas"]


@pytest.mark.parametrize(
    ("capacity", "replicas", "model"),
    [
        ("spot", "1..4", "SPOT"),
        ("on-demand", "1..4", "STANDARD"),
        (MIXED | {"on_demand_base": 2}, "1..2", "STANDARD"),
    ],
)
def test_machines_that_are_bought_alike_are_one_group(
    record, capacity: Any, replicas: str, model: str
) -> None:
    seen = record(lambda: pool(args={"capacity": capacity, "replicas": replicas}))
    (group,) = of_type(seen, "RegionInstanceGroupManager")
    (template,) = of_type(seen, "InstanceTemplate")
    (scaler,) = of_type(seen, "RegionAutoscaler")

    assert (group.name, template.name) == ("chat-group", "chat-template")
    assert template.inputs["scheduling"]["provisioningModel"] == model
    assert scaler.inputs["target"] == group.outputs["selfLink"]
    assert bounds(scaler) == tuple(int(part) for part in replicas.split(".."))
    assert "targetSize" not in group.inputs


def test_a_pool_of_fixed_size_has_a_size_and_no_autoscaler(record) -> None:
    seen = record(lambda: pool(args={"capacity": "on-demand", "replicas": "2"}))
    (group,) = of_type(seen, "RegionInstanceGroupManager")

    assert of_type(seen, "RegionAutoscaler") == []
    assert group.inputs["targetSize"] == 2


def test_an_update_waits_for_a_base_longer_than_its_models_load(record) -> None:
    """Machines are stable once healthy; a rolling change replaces one in each zone at a time.

    https://docs.cloud.google.com/compute/docs/reference/rest/v1/InstanceAction
    """
    capacity = {"on_demand_base": 5, "above": "spot"}
    seen = record(lambda: pool(args={"capacity": capacity, "replicas": "6..9"}))
    base, above = seen.of("chat-group"), seen.of("chat-group-spot")
    grace = base.inputs["autoHealingPolicies"]["initialDelaySec"] // 60

    assert (base.inputs["waitForInstances"], base.inputs["waitForInstancesStatus"]) == (
        True,
        "STABLE",
    )
    assert base.options["timeouts"] == {"create": f"{10 + grace}m", "update": f"{10 + 3 * grace}m"}
    assert "waitForInstances" not in above.inputs


def test_a_change_rolls_through_the_zones_with_no_machine_beside_the_old_ones(record) -> None:
    group = record(pool).of("chat-group-spot").inputs

    assert group["distributionPolicyZones"] == ["us-central1-a", "us-central1-b"]
    assert group["updatePolicy"]["type"] == "PROACTIVE"
    assert group["updatePolicy"]["maxSurgeFixed"] == 2
    assert group["updatePolicy"]["maxUnavailableFixed"] == 0


def test_the_balancer_and_the_repair_ask_the_same_question(record) -> None:
    seen = record(lambda: pool(args={"health": "/ready"}))
    check = seen.of("chat-health")

    assert check.inputs["httpHealthCheck"] == {"port": 8000, "requestPath": "/ready"}
    assert seen.of("chat-backend").inputs["healthChecks"] == check.outputs["id"]
    for name in ("chat-group", "chat-group-spot"):
        repair = seen.of(name).inputs["autoHealingPolicies"]
        assert repair == {"healthCheck": check.outputs["id"], "initialDelaySec": 900}


def test_it_answers_inside_its_network_only(record) -> None:
    seen = record(pool)
    front = seen.of("chat-load-balancer").inputs
    ranges = {
        firewall.name: firewall.inputs["sourceRanges"] for firewall in of_type(seen, "Firewall")
    }

    assert (front["loadBalancingScheme"], front["ports"]) == ("INTERNAL", ["8000"])
    assert front["network"] == seen.of("chat-main-network").outputs["id"]
    assert ranges == {
        "chat-login-firewall": ["35.235.240.0/20"],
        "chat-clients-firewall": [seen.of("chat-main-subnet").inputs["ipCidrRange"]],
        "chat-health-firewall": ["35.191.0.0/16", "130.211.0.0/22"],
    }


def followed(seen: Any) -> dict[str, Any]:
    (figure,) = seen.of("chat-autoscaler").inputs["autoscalingPolicy"]["metrics"]
    return figure


def test_it_follows_what_its_machines_send(record) -> None:
    seen = record(pool)
    script = seen.of("chat-template-spot").inputs["metadataStartupScript"]
    roles = {member.inputs["role"] for member in of_type(seen, "IAMMember")}

    assert "google-cloud-ops-agent" in script
    assert {"roles/monitoring.metricWriter", "roles/logging.logWriter"} <= roles
    assert followed(seen) == {
        "name": "agent.googleapis.com/gpu/utilization",
        "filter": 'resource.type = "gce_instance"',
        "type": "GAUGE",
        "target": 70,
    }


def test_the_target_is_that_of_all_gpus_of_a_machine() -> None:
    """The autoscaler adds up the series of a machine, one for each GPU."""
    load = ScaleOn.model_validate({"gpu_utilization": "70%"})
    memory = ScaleOn.model_validate({"gpu_memory": "50%"})
    four = machine("g2-standard-48")
    assert four is not None
    assert four.gpu_memory_gib is not None

    assert metric("chat", load, four)["target"] == 280
    figure = metric("chat", memory, four)
    assert figure["target"] == float(four.gpu_memory_gib * 2**30 * 4 * Decimal("0.5"))
    assert 'metric.labels.memory_state = "used"' in figure["filter"]


def test_what_no_balancer_counts_is_refused(record) -> None:
    with pytest.raises(ProgramError, match=r"requests.*gpu_utilization"):
        record(lambda: pool(args={"scale_on": {"requests_per_target": 100}}))


def test_a_pool_that_could_not_grow_is_refused(record) -> None:
    with pytest.raises(ProgramError, match=r"replicas.*2\.\.20"):
        record(lambda: pool(args={"replicas": "1..20"}))


def test_the_account_pulls_from_the_project_of_the_image_alone(record) -> None:
    private = record(pool).of("chat-registry").inputs
    public = record(lambda: pool(args={"image": "vllm/vllm-openai:v0.11.0"}))

    assert private["role"] == "roles/artifactregistry.reader"
    assert private["project"] != "models", "another project is its owner's to open"
    assert not [resource for resource in public.resources if resource.name == "chat-registry"]


def test_callers_network_is_used_and_none_is_made(record) -> None:
    seen = record(lambda: pool(network=OWN))
    email = seen.of("chat-account").outputs["email"]
    firewalls = of_type(seen, "Firewall")

    assert not of_type(seen, "Network")
    assert not of_type(seen, "Subnetwork")
    assert {firewall.inputs["network"] for firewall in firewalls} == {LAB}
    assert all(firewall.inputs["targetServiceAccounts"] == [email] for firewall in firewalls)
    assert seen.of("chat-clients-firewall").inputs["sourceRanges"] == ["10.9.0.0/16"]
    assert seen.of("chat-load-balancer").inputs["subnetwork"] == OWN.subnet_ids[0]


def test_callers_network_has_to_say_who_calls(record) -> None:
    silent = Network(vpc_id=LAB, subnet_ids=["lab"])

    with pytest.raises(
        ProgramError,
        match=r"the network's cidr_block is missing, so the pool's callers are unknown.*"
        "pass cidr_block",
    ):
        record(lambda: pool(network=silent))


def test_the_address_and_the_port_are_the_url(record) -> None:
    shown: list[Any] = []
    record(lambda: pool().url.apply(shown.append))

    assert re.fullmatch(r"http://10\.[0-9.]+:8000", shown[0])
