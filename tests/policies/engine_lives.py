"""Programs of the small engine's lives, as the real engine runs them in the sandbox.

`tests.crossguard.engine_life` says what an update does in which order; it was written from reading
the engine. Here both run the same programs: whatever they disagree on is a wrong belief there, or
a wrong verdict of the pack.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import boto3
import pulumi

from gpuinfra import sandbox
from gpuinfra.crossguard.existing_resources import ExistingResource
from gpuinfra.engine import lifecycle
from gpuinfra.engine.contract import Outcome
from tests.crossguard.engine_life import Life, Pack
from tests.crossguard.life_workloads import FOUND, Workload
from tests.policies.ground import AS_OF, Ground
from tests.policies.grounds import aws, azure, gcp

ENDS_HERE = "the program ends here"
KINDS = ("aws:", "gcp:compute", "azure-native:compute")

Stood = tuple[str, str, bool, str]
"""Of one resource its type, its name, whether it waits for its delete, and its machines."""


@dataclass
class Witnessed:
    """Shows a pack what the small engine shows it, and keeps which rules refused."""

    pack: Pack
    rules: set[str] = field(default_factory=set)

    def show(self, kind: str, name: str, inputs: Mapping[str, Any], **options: Any) -> object:
        return self._kept(self.pack.show(kind, name, inputs, **options))

    def end(self) -> object:
        return self._kept(self.pack.end())

    def _kept(self, violations: Any) -> object:
        self.rules |= set(violations)
        return violations


@dataclass
class Outside:
    """Machines in the sandbox that are of no stack, by what a life calls them."""

    ids: dict[str, str] = field(default_factory=dict)

    def id_of(self, workload: Workload) -> str | None:
        """The id of what a workload imports; it is started when it is first asked for."""
        if not workload.imported:
            return None
        if workload.found not in self.ids:
            machine, edition = FOUND[workload.name]
            self.ids[workload.found] = started(machine, aws.IMAGES[edition])
        return self.ids[workload.found]


def started(machine: str, image: str) -> str:
    """The id of a machine that AWS's own interface starts."""
    client = boto3.client(
        "ec2",
        region_name="us-east-1",
        endpoint_url=sandbox.start().endpoint,
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
    )
    interface = {"DeviceIndex": 0, "AssociatePublicIpAddress": False}
    with closing(client):
        made = client.run_instances(
            InstanceType=machine,
            ImageId=image,
            MinCount=1,
            MaxCount=1,
            NetworkInterfaces=[interface],
        )
    return str(made["Instances"][0]["InstanceId"])


def run(
    ground: Ground,
    program: Sequence[Workload],
    cap: Decimal,
    stops_after: int | None,
    outside: Outside,
) -> Outcome:
    """One update, as `pulumi up` without a preview does it; each resource after the one before.

    So is what machines on Azure stand in, though it costs nothing: the pack looks at the state
    when it is first asked, and beside that an import would sometimes be in it, sometimes not.
    """
    found = {workload.name: outside.id_of(workload) for workload in program}

    def register() -> None:
        place: tuple[Any, Any] | None = None
        after: list[pulumi.Resource] = []
        for number, workload in enumerate(program):
            if number == stops_after:
                raise RuntimeError(ENDS_HERE)
            if workload.cloud == "azure":
                place = place or azure.place(ground, after)
            for made in _registered(workload, after, place, found[workload.name]):
                after[:] = [made]
        if place is None:
            azure.place(ground, after)

    settings = {"as_of": AS_OF, "prices": {"accept_outdated": True}}
    settings["budget"] = {"per_hour": float(cap)}
    return lifecycle.up(ground.request(register, {"settings": settings}))


def _options(
    workload: Workload, after: Sequence[pulumi.Resource], ignored: str
) -> pulumi.ResourceOptions:
    """The options of what holds the machines, after its template or its reservation."""
    own = bool(workload.template or workload.reserved)
    return pulumi.ResourceOptions(
        depends_on=list(after),
        delete_before_replace=workload.deletes_first,
        replace_on_changes=["*"] if workload.strict else None,
        replacement_trigger=workload.trigger or None,
        retain_on_delete=workload.retained,
        deleted_with=after[-1] if workload.left_to and own else None,
        protect=workload.protected,
        aliases=[pulumi.Alias(name=workload.former)] if workload.former else None,
        ignore_changes=[ignored] if workload.ignores else None,
    )


def _beside(
    workload: Workload, after: Sequence[pulumi.Resource], ignored: str
) -> pulumi.ResourceOptions:
    """The options of what names the machine type for a group."""
    return pulumi.ResourceOptions(
        depends_on=list(after),
        ignore_changes=[ignored] if workload.ignores else None,
        replace_on_changes=["*"] if workload.renews else None,
    )


def _on_aws(
    workload: Workload, after: Sequence[pulumi.Resource], found: str | None
) -> Iterator[pulumi.Resource]:
    image = aws.IMAGES[workload.edition]
    if workload.size:
        yield from _group_on_aws(workload, after, image)
        return
    from pulumi_aws import ec2

    name, reserved = workload.name, {}
    if workload.reserved:
        kept = ec2.CapacityReservation(
            f"{name}-kept",
            instance_type=workload.reserved,
            instance_count=workload.room,
            instance_platform="Linux/UNIX",
            availability_zone="us-east-1a",
            opts=pulumi.ResourceOptions(depends_on=list(after)),
        )
        yield kept
        after = [kept]
        reserved = {"capacity_reservation_target": {"capacity_reservation_id": kept.id}}
    elsewhere = _provider_of(workload) if workload.elsewhere else None
    yield ec2.Instance(
        name,
        instance_type=workload.machine,
        ami=image,
        associate_public_ip_address=False,
        capacity_reservation_specification=reserved or None,
        opts=pulumi.ResourceOptions.merge(
            _options(workload, after, "instanceType"),
            pulumi.ResourceOptions(import_=found, provider=elsewhere),
        ),
    )


def _provider_of(workload: Workload) -> pulumi.ProviderResource:
    from pulumi_aws import Provider

    return Provider(f"{workload.name}-elsewhere", region=workload.region)


def _group_on_aws(
    workload: Workload, after: Sequence[pulumi.Resource], image: str
) -> Iterator[pulumi.Resource]:
    from pulumi_aws import autoscaling, ec2

    name = workload.name
    template = ec2.LaunchTemplate(
        f"{name}-template",
        instance_type=workload.machine,
        image_id=image,
        opts=_beside(workload, after, "instanceType"),
    )
    yield template
    version = {"version": workload.version} if workload.version else {}
    group = autoscaling.Group(
        name,
        min_size=0,
        max_size=workload.size,
        availability_zones=["us-east-1a"],
        launch_template={"id": template.id, **version},
        opts=_options(workload, [template], "launchTemplate.name"),
    )
    yield group
    if workload.scheduled:
        yield autoscaling.Schedule(
            f"{name}-schedule",
            scheduled_action_name="larger",
            autoscaling_group_name=group.name,
            min_size=0,
            max_size=workload.scheduled,
            desired_capacity=0,
            recurrence="0 8 * * 1",
        )


def _on_gcp(workload: Workload, after: Sequence[pulumi.Resource]) -> Iterator[pulumi.Resource]:
    from pulumi_gcp import compute

    name = workload.name
    disk = {"boot": True, "disk_size_gb": 10, "disk_type": "pd-ssd"}
    template = compute.InstanceTemplate(
        f"{name}-template",
        machine_type=workload.machine,
        disks=[{**disk, "source_image": f"image-{workload.edition}"}],
        network_interfaces=gcp.INTERFACES,
        scheduling=gcp.SCHEDULING,
        opts=_beside(workload, after, "machineType"),
    )
    yield template
    policy = {"type": "OPPORTUNISTIC", "minimal_action": "REPLACE", "max_surge_fixed": 0}
    yield compute.InstanceGroupManager(
        name,
        zone="us-central1-a",
        base_instance_name="any",
        versions=[{"instance_template": template.self_link}],
        target_size=workload.size,
        update_policy={**policy, "max_unavailable_fixed": 1},
        opts=_options(workload, [template], "baseInstanceName"),
    )


def _on_azure(
    workload: Workload, after: Sequence[pulumi.Resource], place: tuple[Any, Any]
) -> Iterator[pulumi.Resource]:
    from pulumi_azure_native import compute

    group, subnet = place
    image = {"publisher": "any", "offer": "any", "sku": "any", "version": f"{workload.edition}"}
    disk = {"create_option": "FromImage", "disk_size_gb": 30}
    disk["managed_disk"] = {"storage_account_type": "Premium_LRS"}
    yield compute.VirtualMachineScaleSet(
        workload.name,
        resource_group_name=group.name,
        location="eastus",
        sku={"name": workload.machine, "capacity": workload.size},
        overprovision=False,
        upgrade_policy={"mode": "Manual"},
        virtual_machine_profile={
            "storage_profile": {"image_reference": image, "os_disk": disk},
            "os_profile": {**azure.PROFILE, "computer_name_prefix": "any"},
            "network_profile": azure.interfaces(subnet.id),
        },
        opts=_options(workload, after, "sku.name"),
    )


def _registered(
    workload: Workload,
    after: Sequence[pulumi.Resource],
    place: tuple[Any, Any] | None,
    found: str | None,
) -> Iterator[pulumi.Resource]:
    """Register what a workload declares.

    `place` is where those on Azure stand, `found` the id of what it imports.
    """
    if place and workload.cloud == "azure":
        return _on_azure(workload, after, place)
    return _on_aws(workload, after, found) if workload.cloud == "aws" else _on_gcp(workload, after)


def of_engine(ground: Ground) -> list[Stood]:
    """What the state file says that stands."""
    latest = json.loads(ground.state_file.read_text())["checkpoint"]["latest"] or {}
    return sorted(
        _stood(entry["type"], entry["urn"], bool(entry.get("delete")), entry["inputs"])
        for entry in latest.get("resources") or []
        if entry["type"].startswith(KINDS)
    )


def of_life(life: Life) -> list[Stood]:
    """What the small engine says that stands."""
    return sorted(_of_standing(each) for each in life.standing())


def _of_standing(each: ExistingResource) -> Stood:
    return _stood(
        each.resource.type, each.resource.urn, each.awaits_deletion, each.resource.inputs
    )


def _stood(kind: str, urn: str, leftover: bool, inputs: Mapping[str, Any]) -> Stood:
    return kind, urn.rpartition("::")[2], leftover, _machines(inputs)


def _machines(inputs: Mapping[str, Any]) -> str:
    """The machine type and the size that inputs state, of any cloud's resources."""
    sku = inputs.get("sku") or {}
    named = (inputs.get("instanceType"), inputs.get("machineType"), sku.get("name"))
    sizes = (inputs.get("maxSize"), inputs.get("targetSize"), sku.get("capacity"))
    kind = next((str(each) for each in named if each), "")
    size = next((str(int(each)) for each in sizes if each is not None), "")
    return f"{kind} x {size}"
