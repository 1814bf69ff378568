"""Machines on Google Cloud as strangers write them; the sandbox's ledger says what runs."""

from typing import Any

import pulumi

from tests.policies.ground import Cloud, Ground, Kind, PerHour

MACHINE = "a3-highgpu-8g"
ZONE = "us-central1-a"
IMAGES = ("debian-cloud/debian-12", "ubuntu-os-cloud/ubuntu-2204-lts")
INSTANCE = "gcp:compute/instance:Instance"
GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
SCALER = "gcp:compute/autoscaler:Autoscaler"
SCHEDULING = {
    "provisioning_model": "STANDARD",
    "automatic_restart": True,
    "on_host_maintenance": "TERMINATE",
}
INTERFACES = [{"network": "default"}]


def instance(ground: Ground, name: str, _shared: object) -> pulumi.Resource:
    from pulumi_gcp import compute

    return compute.Instance(
        name,
        zone=ZONE,
        machine_type=MACHINE,
        boot_disk={
            "initialize_params": {"image": IMAGES[ground.edition], "size": 100, "type": "pd-ssd"}
        },
        network_interfaces=INTERFACES,
        scheduling=SCHEDULING,
        opts=ground.options,
    )


def group(ground: Ground, name: str, _shared: object) -> pulumi.Resource:
    """A managed group of a fixed size, and the template that names its machine."""
    return _group(ground, name, target_size=ground.size)


def pool(ground: Ground, name: str, _shared: object) -> pulumi.Resource:
    """A managed group without a size: the autoscaler that comes after it brings its machines."""
    from pulumi_gcp import compute

    scaled = _group(ground, name)
    return compute.Autoscaler(
        f"{name}-scaler",
        zone=ZONE,
        target=scaled.self_link,
        autoscaling_policy={"min_replicas": 1, "max_replicas": ground.size},
    )


def _group(ground: Ground, name: str, **size: int) -> Any:
    from pulumi_gcp import compute

    template = compute.InstanceTemplate(
        f"{name}-template",
        machine_type=MACHINE,
        disks=[
            {
                "boot": True,
                "source_image": IMAGES[ground.edition],
                "disk_type": "pd-ssd",
                "disk_size_gb": 100,
            }
        ],
        network_interfaces=INTERFACES,
        scheduling=SCHEDULING,
    )
    return compute.InstanceGroupManager(
        name,
        zone=ZONE,
        base_instance_name=name,
        versions=[{"instance_template": template.self_link}],
        **size,
    )


def topic(made: list[pulumi.Resource]) -> None:
    from pulumi_gcp import pubsub

    pubsub.Topic("work", opts=pulumi.ResourceOptions(depends_on=made))


def other_machine(made: list[pulumi.Resource]) -> None:
    from pulumi_gcp import compute

    compute.Instance(
        "other",
        zone=ZONE,
        machine_type="n4-custom-2-4096",  # no table has rates for custom machines of N4
        boot_disk={"initialize_params": {"image": IMAGES[0]}},
        network_interfaces=INTERFACES,
        opts=pulumi.ResourceOptions(depends_on=made),
    )


def running(ground: Ground) -> int:
    """How many machines run, or may, in the groups and by themselves."""
    standing = ground.ledger()
    most: dict[str, int] = {}
    for record in standing:
        if record.type == SCALER:
            goal, policy = record.properties["target"], record.properties["autoscalingPolicy"]
            most[goal] = max(most.get(goal, 0), int(policy["maxReplicas"]))
    groups = [record.properties for record in standing if record.type == GROUP]
    return sum(record.type == INSTANCE for record in standing) + sum(
        max(int(group["targetSize"]), most.get(group["selfLink"], 0)) for group in groups
    )


CLOUD = Cloud(
    name="gcp",
    price=PerHour("88.49"),
    kinds={
        "instance": Kind(INSTANCE, instance),
        "group": Kind(GROUP, group),
        "pool": Kind(SCALER, pool),
    },
    running=running,
    unpriced={"type": topic, "machine": other_machine},
    unpriced_type="gcp:pubsub/topic:Topic",
)
