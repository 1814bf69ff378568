"""Firebase security rules that give everyone access to documents and objects."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpuinfra.clouds.gcp.observe.index import Index
from gpuinfra.clouds.observing.grants import granted
from gpuinfra.clouds.observing.values import at, listed
from gpuinfra.model import Resource, Rows

_RELEASE: Final = "gcp:firebaserules/release:Release"
"""Rules are in force once they are released:
https://firebase.google.com/docs/rules/manage-deploy (2026-11-27, not re-read: unverified)"""

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ACT: Final = re.compile(r"\w+")
_OPEN: Final = re.compile(
    r"\ballow\s+(?P<acts>\w+(?:\s*,\s*\w+)*)\s*(?::\s*if\s+\(*\s*true\s*\)*\s*)?(?:;|(?=\}))"
)
"""Rules for everyone: with a condition that always holds, or with none.
https://firebase.google.com/docs/rules/insecure-rules"""


def with_open_rules(resource: Resource, rows: Rows, index: Index) -> Rows:
    """Return the rows with what a ruleset allows everyone, if the stack releases rulesets."""
    faults = tuple(dict.fromkeys(_faults(resource)))
    if not faults or not index.of(_RELEASE):
        return rows
    return replace(rows, grants=(*rows.grants, *granted("gcp", resource, faults).grants))


def _faults(resource: Resource) -> Iterator[str]:
    for file in listed(at(resource.inputs.get("source"), "files")):
        content = at(file, "content")
        if isinstance(content, str):
            for rule in _OPEN.finditer(_COMMENT.sub(" ", content)):
                acts = " and ".join(_ACT.findall(rule["acts"]))
                yield f"lets everyone {acts} data that its rules are about"
