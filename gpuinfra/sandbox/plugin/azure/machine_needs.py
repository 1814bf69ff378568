"""Azure's requirements for virtual machines and scale sets: spot, placement, login, image."""

from collections.abc import Iterator

from gpuinfra.sandbox.plugin.azure.input_requirement import InputRequirements, failure_of, value_at
from gpuinfra.sandbox.plugin.contract import Inputs
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

_MACHINE = ("compute:VirtualMachine",)
SCALE_SET_TYPES = ("compute:VirtualMachineScaleSet",)
_MACHINE_AND_SET_TYPES = (*_MACHINE, *SCALE_SET_TYPES)
PROFILE = "virtualMachineProfile"
_SINGLE_GROUP_LIMIT = 100
_SPOT = ("Spot", "Low")
_TEMPLATES = "https://learn.microsoft.com/azure/templates/microsoft.compute"
_SPOT_CODES = "https://learn.microsoft.com/azure/virtual-machines/error-codes-spot"

REQUIREMENTS = InputRequirements()


def _profile(inputs: Inputs) -> tuple[str, Inputs]:
    """Return the path of the machine profile in the inputs, and the profile."""
    profile = inputs.get(PROFILE)
    return (f"{PROFILE}.", profile) if isinstance(profile, dict) else ("", inputs)


@REQUIREMENTS.register(_MACHINE_AND_SET_TYPES, _SPOT_CODES)
def _eviction_policy_failures(inputs: Inputs) -> Iterator[Failure]:
    at, profile = _profile(inputs)
    if value_at(profile, "priority") in (None, "Regular") and value_at(profile, "evictionPolicy"):
        yield failure_of(
            f"{at}evictionPolicy",
            "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines",
            "Eviction policy can be set only on Azure Spot Virtual Machines.",
        )


@REQUIREMENTS.register(_MACHINE_AND_SET_TYPES, _SPOT_CODES)
def _spot_price_failures(inputs: Inputs) -> Iterator[Failure]:
    at, profile = _profile(inputs)
    price = value_at(profile, "billingProfile.maxPrice")
    if not isinstance(price, int | float):
        return
    if value_at(profile, "priority") in (None, "Regular"):
        yield failure_of(
            f"{at}billingProfile.maxPrice",
            "MaxPriceIsSupportedOnlyForAzureSpotVirtualMachines",
            "Max price is supported only for Azure Spot Virtual Machines.",
        )
    elif price != -1 and price <= 0:
        yield failure_of(
            f"{at}billingProfile.maxPrice",
            "MaxPriceValueInvalid",
            "The max price value is invalid. The only supported values for max price are -1 or a "
            "decimal greater than zero.",
        )


@REQUIREMENTS.register(
    _MACHINE_AND_SET_TYPES, "https://github.com/MicrosoftDocs/azure-docs/issues/66962"
)
def _spot_notice_failures(inputs: Inputs) -> Iterator[Failure]:
    at, profile = _profile(inputs)
    path = "scheduledEventsProfile.terminateNotificationProfile.enable"
    if value_at(profile, "priority") in _SPOT and value_at(profile, path) is True:
        yield failure_of(
            f"{at}{path}",
            "OperationNotAllowed",
            "Terminate notification works with regular machines only, not with spot machines.",
        )


@REQUIREMENTS.register(_MACHINE, _SPOT_CODES)
def _spot_availability_set_failures(inputs: Inputs) -> Iterator[Failure]:
    if value_at(inputs, "priority") in _SPOT and value_at(inputs, "availabilitySet.id"):
        yield failure_of(
            "availabilitySet",
            "AzureSpotVMNotSupportedInAvailabilitySet",
            "Azure Spot Virtual Machine is not supported in Availability Set.",
        )


def _uniform(inputs: Inputs) -> bool:
    return value_at(inputs, "orchestrationMode") in (None, "Uniform")


def _single_group(inputs: Inputs) -> bool:
    """Return whether all machines are in one placement group, as set or by Azure's default."""
    declared = value_at(inputs, "singlePlacementGroup")
    default = _uniform(inputs) and not value_at(inputs, "zones")
    return declared is True or (declared is None and default)


@REQUIREMENTS.register(
    SCALE_SET_TYPES, "https://github.com/hashicorp/terraform-azurerm-nomad/issues/6"
)
def _placement_group_size_failures(inputs: Inputs) -> Iterator[Failure]:
    capacity = value_at(inputs, "sku.capacity")
    if not isinstance(capacity, int | float) or capacity <= _SINGLE_GROUP_LIMIT:
        return
    if _single_group(inputs):
        yield failure_of(
            "sku.capacity",
            "OperationNotAllowed",
            "Unable to create or update VirtualMachineScaleSet as it exceeds the total limit of "
            f"'{_SINGLE_GROUP_LIMIT}' Virtual Machine instances of a single placement group.",
        )


@REQUIREMENTS.register(
    SCALE_SET_TYPES,
    "https://learn.microsoft.com/azure/virtual-machines/capacity-reservation-overview",
)
def _reservation_group_failures(inputs: Inputs) -> Iterator[Failure]:
    path = f"{PROFILE}.capacityReservation.capacityReservationGroup.id"
    if value_at(inputs, path) and _uniform(inputs) and _single_group(inputs):
        yield failure_of(
            f"{PROFILE}.capacityReservation",
            "OperationNotAllowed",
            "A uniform scale set with a capacity reservation group needs singlePlacementGroup "
            "set to false.",
        )


@REQUIREMENTS.register(
    SCALE_SET_TYPES, "https://github.com/Azure/azure-rest-api-specs/issues/27029"
)
def _flexible_mode_failures(inputs: Inputs) -> Iterator[Failure]:
    if value_at(inputs, "orchestrationMode") != "Flexible":
        return
    network = value_at(inputs, f"{PROFILE}.networkProfile")
    missing_paths = []
    if value_at(inputs, "platformFaultDomainCount") is None:
        missing_paths.append("platformFaultDomainCount")
    if isinstance(network, dict) and value_at(network, "networkApiVersion") is None:
        missing_paths.append(f"{PROFILE}.networkProfile.networkApiVersion")
    for path in missing_paths:
        yield missing(path, "with flexible orchestration")


@REQUIREMENTS.register(
    SCALE_SET_TYPES,
    "https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-sets/create-or-update",
)
def _uniform_mode_failures(inputs: Inputs) -> Iterator[Failure]:
    paths = (PROFILE, "sku.name", "sku.capacity")
    for path in paths if _uniform(inputs) else ():
        if value_at(inputs, path) is None:
            yield missing(path, "with uniform orchestration")


@REQUIREMENTS.register(
    _MACHINE, "https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update"
)
def _machine_profile_failures(inputs: Inputs) -> Iterator[Failure]:
    for path in ("hardwareProfile.vmSize", "storageProfile", "networkProfile"):
        if value_at(inputs, path) is None:
            yield missing(path, "of a virtual machine")


@REQUIREMENTS.register(
    _MACHINE_AND_SET_TYPES, "https://github.com/ComputeCanada/magic_castle/issues/44"
)
def _login_failures(inputs: Inputs) -> Iterator[Failure]:
    at, profile = _profile(inputs)
    system = value_at(profile, "osProfile")
    if not isinstance(system, dict) or value_at(system, "windowsConfiguration"):
        return
    linux = value_at(system, "linuxConfiguration")
    keys = value_at(system, "linuxConfiguration.ssh.publicKeys")
    no_password = value_at(system, "linuxConfiguration.disablePasswordAuthentication") is True
    password = None if no_password else value_at(system, "adminPassword")
    if not isinstance(linux, Unknown) and not keys and not password:
        yield failure_of(
            f"{at}osProfile.linuxConfiguration",
            "InvalidParameter",
            "Authentication using either SSH or by user name and password must be enabled in "
            "Linux profile.",
        )


@REQUIREMENTS.register(_MACHINE_AND_SET_TYPES, f"{_TEMPLATES}/virtualmachines")
def _login_part_failures(inputs: Inputs) -> Iterator[Failure]:
    """Yield missing parts of a machine's login: the user, and a key's text and path."""
    at, profile = _profile(inputs)
    option = value_at(profile, "storageProfile.osDisk.createOption")
    system = value_at(profile, "osProfile")
    if isinstance(system, Unknown) or option not in (None, "FromImage"):
        return
    if system is None:
        if value_at(profile, "storageProfile.imageReference.publisher") is not None:
            yield missing(f"{at}osProfile", "with an image that is not specialized")
        return
    if value_at(system, "adminUsername") is None:
        yield missing(f"{at}osProfile.adminUsername", "with an image that is not specialized")
    for key in value_at(system, "linuxConfiguration.ssh.publicKeys") or ():
        for part in ("path", "keyData"):
            if isinstance(key, dict) and value_at(key, part) is None:
                yield missing(f"{at}osProfile.linuxConfiguration.ssh.publicKeys", f"its {part}")


@REQUIREMENTS.register(
    _MACHINE_AND_SET_TYPES,
    "https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage",
)
def _image_part_failures(inputs: Inputs) -> Iterator[Failure]:
    """Yield missing parts of a Marketplace image: publisher, offer, sku, version."""
    at, profile = _profile(inputs)
    image = value_at(profile, "storageProfile.imageReference")
    image_keys = ("publisher", "offer", "sku", "version")
    if isinstance(image, dict) and any(value_at(image, key) is not None for key in image_keys):
        for key in image_keys:
            if value_at(image, key) is None:
                yield missing(f"{at}storageProfile.imageReference.{key}", "of the image")


@REQUIREMENTS.register(_MACHINE_AND_SET_TYPES, f"{_TEMPLATES}/virtualmachinescalesets")
def _identity_failures(inputs: Inputs) -> Iterator[Failure]:
    kind = value_at(inputs, "identity.type")
    identity_ids = value_at(inputs, "identity.userAssignedIdentities")
    if isinstance(kind, str) and "UserAssigned" in kind and not identity_ids:
        yield failure_of(
            "identity.userAssignedIdentities",
            "InvalidParameter",
            "The identity ids must not be null or empty for 'UserAssigned' identity type.",
        )
    if value_at(inputs, "identity") is not None and kind is None:
        yield missing("identity.type", "of the identity")


@REQUIREMENTS.register(
    _MACHINE_AND_SET_TYPES, "https://github.com/Azure/sap-automation/issues/433"
)
def _purchase_plan_failures(inputs: Inputs) -> Iterator[Failure]:
    _, profile = _profile(inputs)
    offer = value_at(profile, "storageProfile.imageReference.offer")
    if offer == "almalinux-hpc" and value_at(inputs, "plan") is None:
        yield failure_of(
            "plan",
            "VMMarketplaceInvalidInput",
            "Creating a virtual machine from Marketplace image or a custom image sourced from a "
            "Marketplace image requires Plan information in the request.",
        )


def missing(path: str, condition: str) -> Failure:
    """Return Azure's error for a missing parameter."""
    name = path.rsplit(".", 1)[-1]
    return failure_of(
        path, "InvalidParameter", f"Required parameter '{name}' is missing {condition}."
    )
