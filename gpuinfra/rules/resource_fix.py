"""The fix of a rule for one resource, by the setting of the resource's type."""

from functools import cache
from typing import Final

from gpuinfra.clouds import canonical, provider_of
from gpuinfra.rules.rule import Rule
from gpuinfra.urns import type_of

_URN: Final = "urn:pulumi:"
_FIXES: Final = "ways"


def fix_for(rule: Rule, cloud: str | None, subject: str, *, from_file: bool = False) -> str:
    """Return the fix of a rule for a subject: the one of its type, else the one of its cloud.

    Args:
        rule: the rule.
        cloud: the cloud of the subject; None where it has none.
        subject: a URN, or a path in a stack file.
        from_file: whether the fix is in the words of a stack file, where it has some for it.
    """
    if cloud is not None and subject.startswith(_URN):
        own_fixes = _fixes(cloud).get((rule.id, canonical(type_of(subject))))
        if own_fixes is not None:
            return own_fixes
    return rule.fix_on(cloud, from_file=from_file)


@cache
def _fixes(cloud: str) -> dict[tuple[str, str], str]:
    """Return the fixes of a cloud by rule and type."""
    tables = provider_of(cloud).tables
    if not tables.has(_FIXES):
        return {}
    return {(row["rule"], row["type"]): row["fix"] for row in tables.rows(_FIXES)}
