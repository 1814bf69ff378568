"""Names on Azure: the input that carries one, how azure-native makes it up, what Azure takes."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.naming import Naming

_RANDOM_DIGITS = 8
_BALANCED = r"[0-9A-Za-z]([0-9A-Za-z_.-]*[0-9A-Za-z_])?"
_BALANCED_SAYS = "letters, digits and _.-, first a letter or digit, last one of these or _"
_DEFAULT_SAYS = "always 'default'"


@dataclass(frozen=True, slots=True)
class _Rule:
    """What Azure takes as a name."""

    minimum: int
    maximum: int
    pattern: str
    says: str


_NETWORK = _Rule(1, 80, _BALANCED, _BALANCED_SAYS)
_MACHINE = _Rule(
    1,
    64,
    r"(?!_)[^\\/\"\[\]:|<>+=;,?*@&\s]+(?<![.-])",
    'none of \\/"[]:|<>+=;,?*@& and no space, no leading _, no trailing . or -',
)
# What no resource name may hold: learn.microsoft.com/azure/azure-resource-manager/management/
# resource-name-rules, for types that have no rule of their own in the tables.
_ANY = _Rule(1, 260, r"[^<>%&\\?/#]+", "none of <>%&\\?/#")

# `name_rule` of data/azure-native.json (its source beside it), made testable.
_RULES: dict[str, _Rule] = {
    "authorization:RoleAssignment": _Rule(
        36, 36, r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", "a GUID"
    ),
    "compute:CapacityReservation": _Rule(
        1, 80, r"[^_\W]([\w.-]*\w)?", "letters, digits and _.-, a letter or digit first"
    ),
    "compute:CapacityReservationGroup": _Rule(
        1, 64, r"[^_\W]([\w.-]*\w)?", "letters, digits and _.-, a letter or digit first"
    ),
    "compute:Disk": _Rule(1, 80, r"[0-9A-Za-z_-]+", "letters, digits, _ and -"),
    "compute:VirtualMachine": _MACHINE,
    "compute:VirtualMachineScaleSet": _MACHINE,
    "consumption:Budget": _Rule(1, 63, r"[-_a-zA-Z0-9]+", "letters, digits, - and _"),
    "containerservice:AgentPool": _Rule(
        1, 12, r"[a-z][a-z\d]*", "lower-case letters and digits, a letter first"
    ),
    "containerservice:ManagedCluster": _Rule(
        1,
        63,
        r"[0-9A-Za-z]([0-9A-Za-z_-]*[0-9A-Za-z])?",
        "letters, digits, _ and -, a letter or digit at both ends",
    ),
    "keyvault:Key": _Rule(1, 127, r"[0-9A-Za-z-]+", "letters, digits and -"),
    "keyvault:Vault": _Rule(
        3,
        24,
        r"(?!.*--)[A-Za-z][0-9A-Za-z-]*[0-9A-Za-z]",
        "letters, digits and single -, a letter first, no - at the end",
    ),
    "network:LoadBalancer": _NETWORK,
    "network:NatGateway": _NETWORK,
    "network:NetworkInterface": _NETWORK,
    "network:NetworkSecurityGroup": _NETWORK,
    "network:PrivateDnsZoneGroup": _NETWORK,
    "network:PrivateEndpoint": _NETWORK,
    "network:PublicIPAddress": _NETWORK,
    "network:Subnet": _NETWORK,
    "network:VirtualNetwork": _Rule(2, 64, _BALANCED, _BALANCED_SAYS),
    "privatedns:PrivateZone": _Rule(
        1,
        63,
        r"[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+){1,33}",
        "2 to 34 labels of letters, digits, _ and - with periods between them",
    ),
    "privatedns:VirtualNetworkLink": _NETWORK,
    "resources:ResourceGroup": _Rule(
        1, 90, r"[\w().-]*[\w()-]", "letters, digits and _().-, no period at the end"
    ),
    "storage:BlobContainer": _Rule(
        3,
        63,
        r"\$root|\$web|\$logs|(?!.*--)[a-z0-9][a-z0-9-]*[a-z0-9]",
        "lower-case letters, digits and single -, a letter or digit at both ends",
    ),
    "storage:BlobServiceProperties": _Rule(7, 7, "default", _DEFAULT_SAYS),
    "storage:ManagementPolicy": _Rule(7, 7, "default", _DEFAULT_SAYS),
    "storage:StorageAccount": _Rule(
        3,
        24,
        r"[a-z0-9]+",
        "lower-case letters and digits only: set it, or a logical name of at most 16 of them",
    ),
    "storagecache:AmlFilesystem": _Rule(
        2,
        80,
        r"[0-9a-zA-Z][-0-9a-zA-Z_]*[0-9a-zA-Z]",
        "letters, digits, - and _, a letter or digit at both ends",
    ),
}

# Names that all of Azure's customers share, with the refusal when one is taken. Sources:
# github.com/hashicorp/terraform/issues/11485; learn.microsoft.com/azure/key-vault/general/
# overview (names are globally unique).
_WORLDWIDE: dict[str, tuple[str, str]] = {
    "storage:StorageAccount": (
        "StorageAccountAlreadyTaken",
        "The storage account named {name} is already taken.",
    ),
    "keyvault:Vault": ("VaultAlreadyExists", "The vault name '{name}' is already in use."),
}


@cache
def naming(token: str) -> Naming | None:
    """What the type demands of its name; None for a type of no table."""
    kind = ids.tables().type(token)
    if kind is None:
        return None
    short = token.removeprefix(f"{ids.PACKAGE}:")
    rule = _RULES.get(short, _ANY)
    code, words = _WORLDWIDE.get(short, ("", ""))
    return Naming(
        key=ids.slots(kind.id_form)[-1],
        minimum=rule.minimum,
        maximum=rule.maximum,
        pattern=rule.pattern,
        says=rule.says,
        digits=_RANDOM_DIGITS,
        glue="",
        made=made(kind.id_form),
        duplicate=code,
        taken=words,
        worldwide=True,
        fold=True,
    )


def made(form: str) -> Literal["random", "copy", "uuid"]:
    """How azure-native makes up a name: `AutoName` in its provider/pkg/resources/resources.go.

    A resource that is nested in another takes the logical name as it is.
    """
    names = ids.slots(form)
    if names[-1] == "roleAssignmentName":
        return "uuid"
    _, provider, path = form.lower().rpartition("microsoft.")
    return "copy" if provider and path.count("<") > 1 else "random"
