"""Google Cloud names: rules per type, and the scope in which each is unique.

Each rule's source is `name_source` in data/gcp.json, or is in its row of data/gcp_facts.json.
Names that are left out: pulumi-gcp makes them up in lower case (provider/resources.go).
"""

from collections.abc import Callable
from dataclasses import replace

from gpuinfra.sandbox.plugin.facts import records
from gpuinfra.sandbox.plugin.gcp import resource_names
from gpuinfra.sandbox.plugin.naming import Naming
from gpuinfra.sandbox.plugin.schema import Schema

_BUCKET_TYPE = "gcp:storage/bucket:Bucket"
_SPECIAL = records("gcp", "naming", Naming)
_USUAL = Naming(
    maximum=63,
    pattern=r"[a-z](?:[-a-z0-9]*[a-z0-9])?",
    pattern_text=(
        "a lower-case letter first, then lower-case letters, digits and -, no - at the end"
    ),
)
_NAME_TAKEN = "The resource '{}' already exists"
_TAKEN_BUCKET = (
    "The requested bucket name is not available. The bucket namespace is shared by all users of "
    "the system. Please select a different name and try again. ({name})"
)


def rules(tables: Schema) -> Callable[[str], Naming | None]:
    """Return a function from a type to its naming rule, or None."""

    def rule(token: str) -> Naming | None:
        kind = tables.type(token)
        if kind is None:
            return None
        usual = _SPECIAL.get(token, _USUAL)
        parts = resource_names.slots(kind)
        if usual.key not in kind.inputs or usual.key not in parts:
            return None
        is_bucket = token == _BUCKET_TYPE
        return replace(
            usual,
            lower=True,
            taken_code="conflict" if is_bucket else "alreadyExists",
            taken_message=_TAKEN_BUCKET
            if is_bucket
            else _NAME_TAKEN.format(resource_names.id_form(kind, "{", "}")),
            scope=tuple(dict.fromkeys(part for part in parts if part != usual.key)),
            worldwide=True,
        )

    return rule
