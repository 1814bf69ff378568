"""Machines on Azure whose software or hardware no table prices are never priced as free."""

from typing import Any

import pytest

from gpuinfra.model import UNKNOWN
from tests.rules.cases import azure_stacks
from tests.rules.cases.azure_program import SUBSCRIPTION, AzureProgram
from tests.rules.cases.judging import findings, of_resources
from tests.rules.cases.moments import both
from tests.rules.cases.surcharges import RED_HAT, WINDOWS, reasons

AKS = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
SUBJECT = "/subscriptions/1/resourceGroups/rg/providers/Microsoft.Compute/hostGroups/h"
HOSTS = (
    "its machines are on dedicated hosts, which are billed as a whole, and whose price is unknown"
)
PLAN = (
    "its image is bought by a plan of the marketplace, whose price is unknown; leave it out by its"
    " type if the plan is free"
)
UBUNTU = {"publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server"}
PRO = "its machines run Ubuntu Pro, and its licence price is unknown"
ULTRA = (
    "ultra disks are enabled on its machines, which have none: Azure bills that by vCPU, and the"
    " price is unknown"
)


def machine(**inputs: Any) -> AzureProgram:
    program = azure_stacks.open_machine()
    (notebook,) = (handle for handle in program.handles.values() if handle.name == "notebook")
    image = inputs.pop("image", None)
    if image is not None:
        inputs["storageProfile"] = {"imageReference": image, "osDisk": azure_stacks.DISK}
    program.change(notebook, **inputs)
    return program


SERVER = {"publisher": "MicrosoftWindowsServer", "offer": "WindowsServer", "sku": "2022"}


@both
@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({"image": SERVER}, WINDOWS),
        ({"image": {**SERVER, "publisher": "microsoftwindowsserver"}}, WINDOWS),
        ({"osProfile": {"windowsConfiguration": {"provisionVMAgent": True}}}, WINDOWS),
        ({"storageProfile": {"osDisk": {"osType": "Windows"}}}, WINDOWS),
        ({"image": {**SERVER, "publisher": "microsoft-dsvm", "offer": "dsvm-win-2022"}}, WINDOWS),
        ({"image": {**SERVER, "publisher": "MicrosoftWindowsServerHPCPack"}}, WINDOWS),
        ({"image": {**SERVER, "publisher": "MicrosoftSharePoint", "offer": "s"}}, WINDOWS),
        ({"image": {**SERVER, "publisher": "MicrosoftDynamicsAX", "offer": "d"}}, WINDOWS),
        ({"image": {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204"}}, None),
        ({"image": {"publisher": "RedHat", "offer": "RHEL", "sku": "9"}}, RED_HAT),
        ({"image": {"publisher": "RedHat", "offer": "rhel-byos", "sku": "rhel-lvm9"}}, None),
        ({"image": {"publisher": "SUSE", "offer": "sles-15-sp6-byos", "sku": "gen2"}}, None),
        ({"image": UBUNTU, "licenseType": "RHEL_BASE"}, RED_HAT),
        ({"image": UBUNTU, "licenseType": "RHEL_BYOS"}, None),
        ({"image": UBUNTU, "licenseType": "UBUNTU_PRO"}, PRO),
        ({"image": {**UBUNTU, "sku": "ubuntu-pro"}}, PRO),
        ({"image": {**UBUNTU, "offer": "0001-com-ubuntu-pro-jammy"}}, PRO),
        ({"image": UBUNTU, "additionalCapabilities": {"ultraSSDEnabled": True}}, ULTRA),
        ({"image": UBUNTU, "additionalCapabilities": {"ultraSSDEnabled": False}}, None),
        ({"image": SERVER, "licenseType": "Windows_Server"}, None),
        ({"image": SERVER, "licenseType": "RHEL_BYOS"}, WINDOWS),
        ({"host": {"id": f"{SUBJECT}/hosts/one"}}, HOSTS),
        ({"hostGroup": {"id": SUBJECT}}, HOSTS),
        ({"plan": {"name": "p", "product": "q", "publisher": "r"}}, PLAN),
        ({"plan": UNKNOWN}, PLAN),
        ({}, None),
    ],
)
def test_paid_software_and_hosts_of_azure_have_no_price(inputs, reason, moment):
    seen = reasons(machine(**inputs).resources(moment))
    assert seen == ([] if reason is None else [reason])


@both
@pytest.mark.parametrize(
    ("place", "reason"), [("images/own", None), ("galleries/g/images/own", WINDOWS)]
)
def test_an_image_of_a_gallery_is_no_image_of_that_name_alone(place, reason, moment):
    here = f"{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Compute/{place}"
    program = machine(image={"id": here})
    where = {"resourceGroupName": "rg", **GALLERY}
    program.add("azure-native:compute:GalleryImage", "own", osType="Windows", **where)
    licences = [row for row in reasons(program.resources(moment)) if "licence" in row]
    assert licences == ([] if reason is None else [reason])


@both
def test_a_data_disk_of_windows_is_no_system_of_a_machine_of_linux(moment):
    program = machine()
    own = program.add(
        "azure-native:compute:Disk", "own", creationData=COPY, osType="Windows", diskSizeGB=64
    )
    boot = {"createOption": "Attach", "osType": "Linux", "managedDisk": {"id": UNKNOWN}}
    (notebook,) = (each for each in program.handles.values() if each.name == "notebook")
    data = [{"lun": 0, "createOption": "Attach", "managedDisk": {"id": own.id}}]
    program.change(notebook, storageProfile={"osDisk": boot, "dataDisks": data})
    assert not [row for row in reasons(program.resources(moment)) if "licence" in row]


GALLERY = {"galleryName": "g", "galleryImageName": "own", "osState": "Generalized"}
COPY = {"createOption": "Copy", "sourceResourceId": "/subscriptions/x/snapshots/s"}


@both
@pytest.mark.parametrize("system", ["Windows", "Linux"])
@pytest.mark.parametrize("through", ["gallery", "version", "image", "disk"])
def test_windows_is_followed_through_images_and_disks(system, through, moment):
    program = machine()
    boot: dict[str, Any] = {"osDisk": azure_stacks.DISK}
    if through == "disk":
        own = program.add(
            "azure-native:compute:Disk", "own", creationData=COPY, osType=system, diskSizeGB=64
        )
        boot = {"osDisk": {"createOption": "Attach", "managedDisk": {"id": own.id}}}
    elif through == "image":
        disk = {"osType": system, "osState": "Generalized", "blobUri": "https://a/b.vhd"}
        own = program.add("azure-native:compute:Image", "own", storageProfile={"osDisk": disk})
    else:
        own = program.add("azure-native:compute:GalleryImage", "own", osType=system, **GALLERY)
    if through == "version":
        named = {"galleryName": "g", "galleryImageName": own.out("name")}
        own = program.add("azure-native:compute:GalleryImageVersion", "v", **named)
    boot |= {"imageReference": {"id": own.id}} if through != "disk" else {}
    (notebook,) = (each for each in program.handles.values() if each.name == "notebook")
    program.change(notebook, storageProfile=boot)
    licences = [row for row in reasons(program.resources(moment)) if "licence" in row]
    assert licences == ([WINDOWS] if system == "Windows" else [])


@both
def test_the_model_of_a_scale_set_tells_its_software(moment):
    program = AzureProgram()
    profile = {"osProfile": {"windowsConfiguration": {}}, "storageProfile": {"osDisk": {}}}
    azure_stacks.scale_set(program, profile=profile, hostGroup={"id": SUBJECT})
    assert reasons(program.resources(moment)) == [f"{WINDOWS}; {HOSTS}"]


@pytest.mark.parametrize(
    ("spec", "cluster", "reason"),
    [
        ({"osType": "Windows"}, {}, WINDOWS),
        ({"osSKU": "Windows2022"}, {}, WINDOWS),
        ({"osType": "Windows"}, {"windowsProfile": {"licenseType": "Windows_Server"}}, None),
        ({"hostGroupID": SUBJECT}, {}, HOSTS),
        ({"osType": "Linux"}, {}, None),
    ],
)
def test_pools_of_aks_have_the_same_surcharges(spec, cluster, reason):
    program = AzureProgram()
    pool = {"name": "gpus", "vmSize": "Standard_NC4as_T4_v3", "count": 1, **spec}
    program.add(AKS, "aks", agentPoolProfiles=[pool], **cluster)
    missing = of_resources(program.resources()).not_judged
    assert [(row.type, row.reason) for row in missing] == (
        [] if reason is None else [(POOL, reason)]
    )


@pytest.mark.parametrize(
    "cluster",
    [
        {"nodeProvisioningProfile": {"mode": "Auto"}},
        {"agentPoolProfiles": [{"name": "gpus", "vmSize": UNKNOWN, "count": 1}]},
    ],
)
def test_the_control_plane_of_aks_is_left_out_without_its_machines(cluster):
    program = AzureProgram()
    home = program.add(AKS, "aks", sku={"name": "Base", "tier": "Gold"}, **cluster)
    plan = of_resources(program.resources())
    assert [row.type for row in plan.not_judged].count(AKS) == 1
    (finding,) = findings(plan, "price-unknown", not_counted=(AKS,))
    assert (finding.outcome, finding.subject) == ("violated", home.urn)
    (finding,) = findings(plan, "price-unknown", not_counted=(AKS, POOL))
    assert finding.outcome == "fine"
