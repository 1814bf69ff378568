"""The naming of resources: the name's input, generated names, and the cloud's rules."""

import hashlib
import re
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gpuinfra.sandbox.plugin import forms
from gpuinfra.sandbox.plugin.contract import CloudRefusalError
from gpuinfra.sandbox.plugin.diff import is_same_value
from gpuinfra.sandbox.plugin.input_validation import Failure
from gpuinfra.sandbox.plugin.wire import Unknown

DEFAULTS_KEY = "__defaults"


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The naming rule of a resource type.

    Attributes:
        key: the input that carries it.
        generation: how a name is generated: logical name and random digits, a copy of it, a UUID.
        digits: how many random digits.
        separator: between the logical name and the digits.
        minimum: fewest characters.
        maximum: most characters.
        pattern: regular expression that the whole name must match.
        pattern_text: the rule in words, for the refusal.
        lower: a made-up name is in lower case.
        prefix: a made-up name starts with this.
        taken_code: the cloud's error code when the name is taken; empty where it may repeat or
            where the same call just overwrites.
        taken_message: the cloud's words for it, with {name} and inputs of the scope.
        scope: inputs within whose values the name is unique.
        worldwide: unique in the account in every place.
        ignores_case: whether names that differ only in case are the same.
    """

    key: str = "name"
    generation: Literal["random", "copy", "uuid"] = "random"
    digits: int = 7
    separator: str = "-"
    minimum: int = 1
    maximum: int = 255
    pattern: str = ".*"
    pattern_text: str = ""
    lower: bool = False
    prefix: str = ""
    taken_code: str = ""
    taken_message: str = ""
    scope: tuple[str, ...] = ()
    worldwide: bool = False
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Autonaming:
    """The engine's autonaming configuration; None leaves the name to the plugin."""

    name: str
    binding: bool


def fill(
    naming: Naming | None,
    inputs: dict[str, Any],
    old: Mapping[str, Any],
    logical: str,
    seed: bytes,
    proposal: Autonaming | None = None,
) -> list[Failure]:
    """Set a missing name in `inputs`; return the problems that prevent it.

    A name once made up is kept; `old` are the inputs of the last update, empty for a new resource.
    """
    if naming is None or _has_name(inputs, naming):
        return []
    key = naming.key
    if key in old and key in old.get(DEFAULTS_KEY, ()):
        inputs[key] = old[key]
    elif proposal is not None and not proposal.name:
        return [Failure(key, f"automatic naming is disabled: set '{key}'")]
    elif proposal is not None and proposal.binding:
        inputs[key] = proposal.name
    else:
        new_name = generated_name(naming, logical, seed)
        if len(new_name) > naming.maximum:
            plus = (
                f" plus {naming.digits} random characters" if naming.generation == "random" else ""
            )
            reason = (
                f"name '{logical}'{plus} is longer than "
                f"the {naming.maximum} characters allowed: set '{key}' or a shorter resource name"
            )
            return [Failure(key, reason)]
        inputs[key] = new_name
    if naming.generation != "copy":
        inputs[DEFAULTS_KEY] = [key]
    return []


def generated_name(naming: Naming, logical: str, seed: bytes) -> str:
    """Return a generated name, the same for the same seed, as Pulumi does."""
    digits = hashlib.sha256(seed + logical.encode()).hexdigest() if seed else secrets.token_hex(16)
    if naming.generation == "uuid":
        return str(uuid.UUID(digits[:32]))
    base = logical.lower() if naming.lower else logical
    if not base.startswith(naming.prefix):
        base = f"{naming.prefix}{base}"
    return (
        base
        if naming.generation == "copy"
        else f"{base}{naming.separator}{digits[: naming.digits]}"
    )


def with_prefix_name(
    naming: Naming | None, inputs: dict[str, Any], old: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the inputs with the name of an earlier update, or one made of their prefix."""
    prefix = inputs.get(f"{naming.key}Prefix") if naming else None
    if naming is None or prefix is None or inputs.get(naming.key):
        return inputs
    generated_name = old.get(naming.key) or forms.fill(f"{prefix}<26 hex>", {})[: naming.maximum]
    return {**inputs, naming.key: generated_name}


def problems(naming: Naming | None, inputs: Mapping[str, Any]) -> list[Failure]:
    """Return the problems of the name."""
    name = inputs.get(naming.key) if naming else None
    if naming is None or not isinstance(name, str) or isinstance(name, Unknown):
        return []
    is_length_allowed = naming.minimum <= len(name) <= naming.maximum
    if is_length_allowed and re.fullmatch(naming.pattern, name, re.DOTALL):
        return []
    says = f", {naming.pattern_text}" if naming.pattern_text else ""
    text = " (made of the resource's name)" if naming.key in inputs.get(DEFAULTS_KEY, ()) else ""
    size = f"{naming.minimum}-{naming.maximum} characters"
    return [Failure(naming.key, f"'{name}'{text} is not a valid name: {size}{says}")]


def unique(naming: Naming | None, values: Mapping[str, Any], place: str) -> str | None:
    """Return the name with the scope in which it must be unique; None without such a rule."""
    if naming is None or not naming.taken_code or not values.get(naming.key):
        return None
    scope = [str(values.get(key, "")) for key in naming.scope]
    name_key = "|".join(["" if naming.worldwide else place, *scope, str(values[naming.key])])
    return name_key.casefold() if naming.ignores_case else name_key


def refuse_taken(naming: Naming | None, inputs: Mapping[str, Any]) -> None:
    """Raise CloudRefusalError if the cloud refuses a name that is taken."""
    if naming is not None and naming.taken_code:
        values = {**inputs, "name": inputs.get(naming.key)}
        raise CloudRefusalError(naming.taken_code, naming.taken_message.format_map(values))


def keeps_given_name(
    naming: Naming | None, old: Mapping[str, Any], new: Mapping[str, Any]
) -> bool:
    """Return whether the program sets the name and keeps it: then two can't exist at once.

    Source: pulumi-terraform-bridge, `deleteBeforeReplace` in its Diff.
    """
    return (
        naming is not None
        and new.get(naming.key) is not None
        and naming.key not in new.get(DEFAULTS_KEY, ())
        and is_same_value(old.get(naming.key), new.get(naming.key))
    )


def _has_name(inputs: Mapping[str, Any], naming: Naming) -> bool:
    return inputs.get(naming.key) is not None or inputs.get(f"{naming.key}Prefix") is not None
