"""Names on Azure: their inputs, azure-native's generated names, and the rules for them."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from gpuinfra.sandbox.plugin.azure import ids
from gpuinfra.sandbox.plugin.facts import records
from gpuinfra.sandbox.plugin.naming import Naming

_RANDOM_DIGITS = 8


@dataclass(frozen=True, slots=True)
class _Rule:
    """The rule for a name."""

    minimum: int
    maximum: int
    pattern: str
    pattern_text: str


# What no resource name may hold: learn.microsoft.com/azure/azure-resource-manager/management/
# resource-name-rules, for types that have no rule of their own in the tables.
_ANY_NAME = _Rule(1, 260, r"[^<>%&\\?/#]+", "none of <>%&\\?/#")

# `name_rule` of data/azure-native.json (its source beside it), made testable.
_RULES = records(ids.PACKAGE, "naming", _Rule)

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
    """Return the naming rule of a type; None if no table has the type."""
    kind = ids.tables().type(token)
    if kind is None:
        return None
    short = token.removeprefix(f"{ids.PACKAGE}:")
    rule = _RULES.get(short, _ANY_NAME)
    code, words = _WORLDWIDE.get(short, ("", ""))
    return Naming(
        key=ids.slots(kind.id_form)[-1],
        minimum=rule.minimum,
        maximum=rule.maximum,
        pattern=rule.pattern,
        pattern_text=rule.pattern_text,
        digits=_RANDOM_DIGITS,
        separator="",
        generation=generation_method(kind.id_form),
        taken_code=code,
        taken_message=words,
        worldwide=True,
        ignores_case=True,
    )


def generation_method(form: str) -> Literal["random", "copy", "uuid"]:
    """Return how azure-native generates a name: `AutoName` in pkg/resources/resources.go.

    A resource that is nested in another takes the logical name as it is.
    """
    names = ids.slots(form)
    if names[-1] == "roleAssignmentName":
        return "uuid"
    _, provider, path = form.lower().rpartition("microsoft.")
    return "copy" if provider and path.count("<") > 1 else "random"
