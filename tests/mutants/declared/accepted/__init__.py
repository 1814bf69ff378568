"""Mutants that need no judge: what is said for people only, or does the same either way."""

from fnmatch import fnmatchcase
from typing import Final

from tests.mutants.declared.accepted.aws import AWS
from tests.mutants.declared.accepted.azure import AZURE
from tests.mutants.declared.accepted.gcp import GOOGLE_CLOUD
from tests.mutants.declared.accepted.reasons import LABELS, PEOPLE, Row
from tests.mutants.declared.changes import Mutant

SHARED: Final[tuple[Row, ...]] = (
    ("*", "tags*", "*", LABELS),
    ("*", "*.tags*", "*", LABELS),
    ("*", "labels*", "*", LABELS),
    ("*", "*.labels*", "*", LABELS),
    ("*", "description", "*", PEOPLE),
    ("*", "*.description", "*", PEOPLE),
    ("*", "displayName", "*", PEOPLE),
)
"""Rows of AWS."""


PINS: Final[tuple[Row, ...]] = (
    ("pulumi:index:Stash", "", "removed", "a pin shows in a later update, which no graph is of"),
    ("pulumi:index:Stash", "", "undepended", "it costs nothing, and keeps what was looked up"),
)
"""Rows of what Pulumi itself keeps; `tests/components/test_images.py` judges pins over updates."""

ACCEPTED: Final[dict[str, tuple[Row, ...]]] = {
    "aws": (*SHARED, *AWS),
    "gcp": GOOGLE_CLOUD,
    "azure-native": AZURE,
    "pulumi": PINS,
}
"""All rows, by the package of the resource."""


def reason(mutant: Mutant) -> str:
    """Why no judge has to notice a mutant; empty where one has to."""
    for type_, field, kind, why in ACCEPTED.get(mutant.cloud, ()):
        named = zip((mutant.type, mutant.field, mutant.kind), (type_, field, kind), strict=True)
        if all(fnmatchcase(value, pattern) for value, pattern in named):
            return why
    return ""
