"""Workloads of random programs: what each declares, and what a machine of it costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpuinfra.crossguard.existing_resources import ExistingResource
from tests.crossguard.resources import GROUP, INSTANCE, TEMPLATE, stands
from tests.crossguard.wire import urn

SCHEDULE = "aws:autoscaling/schedule:Schedule"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
GCP_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
GCP_GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"
SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"

PRICES = {
    "aws": {"p5.48xlarge": Decimal("55.04"), "g6.xlarge": Decimal("0.8048")},
    "gcp": {"a3-highgpu-8g": Decimal("88.49"), "g2-standard-4": Decimal("0.7068")},
    "azure": {
        "Standard_ND96isr_H100_v5": Decimal("98.32"),
        "Standard_NC4as_T4_v3": Decimal("0.526"),
    },
}
"""USD/h on demand in us-east-1, us-central1 and eastus, of the shipped catalog."""

BY_IMAGE = frozenset({INSTANCE, SCALE_SET})
"""Kinds that another image replaces: of a scale set, the provider does, and not Azure."""

FOUND = {"a": ("p5.48xlarge", 0), "b": ("g6.xlarge", 0), "c": ("p5.48xlarge", 1)}
"""Machines that stand outside of the stack, by the workload that may import each: type, image."""

REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}


@dataclass(frozen=True)
class Workload:
    """An instance, or a group of machines; on AWS and Google Cloud a group has its own template.

    Attributes:
        machine: its type, a key of `PRICES`.
        size: a group's maximum; 0 for an instance, which only AWS has here.
        edition: its image: a change replaces an instance and gives a template another version.
        version: of its template, that a group of AWS starts; empty for the default.
        scheduled: the maximum that a scheduled action gives a group of AWS; 0 for no action.
        reserved: the type of a reservation, which an instance names.
        room: how many machines that reservation is for.
        ignores: ignoreChanges for what names the machine type.
        strict: replaceOnChanges for everything.
        renews: replaceOnChanges for everything of its template, on AWS.
        left_to: deletedWith its template or its reservation: where both are deleted, the engine
            only forgets it.
        trigger: a replacementTrigger: a change of it replaces; 0 for none, from or to which
            nothing is replaced.
        elsewhere: an instance of a provider of another region, at the same prices.
        former: the name that it had before, as an alias.
        imported: it is an instance that stands already, of `FOUND`.
        generation: how many templates it had before, where each change makes another.
    """

    name: str
    machine: str
    cloud: str = "aws"
    size: int = 0
    edition: int = 0
    version: str = "$Latest"
    scheduled: int = 0
    reserved: str = ""
    room: int = 1
    ignores: bool = False
    deletes_first: bool = False
    strict: bool = False
    retained: bool = False
    protected: bool = False
    left_to: bool = False
    trigger: int = 0
    elsewhere: bool = False
    renews: bool = False
    former: str = ""
    imported: bool = False
    generation: int = 0

    @property
    def stays(self) -> bool:
        """Whether it may stand on in the cloud when the engine deletes it, as the state tells."""
        return self.retained or (self.left_to and bool(self.template or self.reserved))

    @property
    def region(self) -> str:
        """Where it is."""
        return "us-west-2" if self.elsewhere else REGIONS[self.cloud]

    @property
    def kind(self) -> str:
        kinds = {"aws": GROUP if self.size else INSTANCE, "gcp": GCP_GROUP, "azure": SCALE_SET}
        return kinds[self.cloud]

    @property
    def price(self) -> Decimal:
        """USD/h of one machine."""
        return PRICES[self.cloud][self.machine]

    @property
    def found(self) -> str:
        """What it imports, as the cloud calls it; empty for nothing."""
        return f"i-found-{self.name}" if self.imported else ""

    @property
    def template(self) -> tuple[str, str] | None:
        """The type and the id of its template."""
        if self.cloud == "gcp":
            return GCP_TEMPLATE, f"t-{self.name}-{self.generation}"
        if self.cloud == "aws" and self.size:
            return TEMPLATE, f"lt-{self.name}-{self.generation}"
        return None

    @property
    def launch(self) -> dict[str, Any]:
        """The inputs of its template."""
        if self.cloud == "gcp":
            disk = {"diskType": "pd-ssd", "sourceImage": f"image-{self.edition}", **_BOOT_DISK}
            return {"machineType": self.machine, "disks": [disk]}
        return {"instanceType": self.machine, "imageId": f"ami-{self.edition:08}"}

    def inputs(self, group: str) -> Mapping[str, Any]:
        """The inputs of the instance, or of the group, which has that name in the cloud."""
        if self.cloud == "azure":
            return _scale_set(self)
        _, of_template = self.template or ("", "")
        template = {"id": of_template, "version": self.version}
        if self.cloud == "gcp":
            versions = [{"instanceTemplate": of_template}]
            return {**_GCP_SETTINGS, "versions": versions, "targetSize": self.size}
        if self.size:
            sizes = {"minSize": 0, "maxSize": self.size}
            return {**sizes, "name": group, "launchTemplate": _without_empty(template)}
        target = {"capacityReservationId": f"cr-{self.name}"}
        named = {"capacityReservationSpecification": {"capacityReservationTarget": target}}
        return {
            "instanceType": self.machine,
            "ami": f"ami-{self.edition:08}",
            "associatePublicIpAddress": False,
            **(named if self.reserved else {}),
        }

    @property
    def reservation(self) -> dict[str, Any]:
        """The inputs of its reservation."""
        place = {"availabilityZone": "us-east-1a", "instancePlatform": "Linux/UNIX"}
        return {**place, "instanceType": self.reserved, "instanceCount": self.room}


_BOOT_DISK = {"boot": True, "diskSizeGb": 10}
_GCP_SETTINGS = {
    "zone": "us-central1-a",
    "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE", "maxSurgeFixed": 0},
}


def _without_empty(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in inputs.items() if value != ""}


def _scale_set(workload: Workload) -> dict[str, Any]:
    image = {"publisher": "any", "offer": "any", "sku": "any", "version": f"{workload.edition}"}
    disk = {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}}
    storage = {"imageReference": image, "osDisk": {**disk, "diskSizeGB": 30}}
    return {
        "location": "eastus",
        "resourceGroupName": "any",
        "sku": {"name": workload.machine, "capacity": workload.size},
        "overprovision": False,
        "upgradePolicy": {"mode": "Manual"},
        "virtualMachineProfile": {"storageProfile": storage},
    }


@dataclass(eq=False)
class Machines:
    """Something that runs, as the cloud and the state have it; `leftover` waits for its delete.

    `group` is what a group is called in the cloud, which it stays under another name or alias;
    `scheduled` is the maximum that a scheduled action may give it. `started` is how many of it
    the update at work found and at what USD/h each: they go on as they are while more come.
    `vanished` is in the state alone: it was imported twice, and deleted once.
    """

    workload: Workload
    group: str
    leftover: bool = False
    scheduled: int = 0
    started: tuple[int, Decimal] = (0, Decimal(0))
    vanished: bool = False

    @property
    def inputs(self) -> Mapping[str, Any]:
        return self.workload.inputs(self.group)

    def cost(self, price: Decimal) -> Decimal:
        """USD/h of all that may run, where new ones cost a price each."""
        count, former = self.started
        stay = min(count, self.most)
        return stay * max(former, price) + (self.most - stay) * price

    @property
    def most(self) -> int:
        return max(self.workload.size or 1, self.scheduled)


@dataclass(eq=False)
class Template:
    """A launch template's versions, oldest first; its default stays at the first."""

    versions: list[Workload]

    def started(self, version: str) -> Workload:
        return self.versions[-1 if version == "$Latest" else 0]


def schedule(machines: Machines, largest: int) -> dict[str, Any]:
    return {"autoscalingGroupName": machines.group, "maxSize": largest}


def state_of(
    workload: Workload, kind: str, name: str, inputs: Mapping[str, Any], **outputs: Any
) -> ExistingResource:
    template = workload.template
    prop = "versions" if workload.cloud == "gcp" else "launchTemplate"
    refers = template is not None and kind == workload.kind
    relations = {prop: (urn(template[0], f"{name}-template"),)} if refers else {}
    if kind == SCHEDULE:
        relations = {"autoscalingGroupName": (urn(workload.kind, workload.name),)}
    return stands(kind, name, inputs, relations, workload.region, **{**inputs, **outputs})
