"""Hints to the settings file, which a pack has not, as hints to the configuration of the pack."""

import json
import re
from typing import Final

from gpuinfra.rules.rule import settings_hint
from gpuinfra.units import hours, parse_duration

_HINT: Final = re.compile(
    re.escape(settings_hint("NAME", "FACTS"))
    .replace("NAME", r"(?P<name>[^{}]+)")
    .replace("FACTS", r"(?P<facts>[^{}]+)")
)


def in_pack(fix: str) -> str:
    """Return a fix that says where a pack's user states the facts of a resource: as `usage`."""
    return _HINT.sub(_usage_hint, fix)


def _usage_hint(hint: re.Match[str]) -> str:
    usage: dict[str, dict[str, int | str | bool]] = {}
    for fact in hint["facts"].split(", "):
        key, _, value = fact.partition(": ")
        if key == "duration":
            usage["hours"] = {hint["name"]: int(hours(parse_duration(value)))}
        else:
            usage[key] = {hint["name"]: True if value == "true" else value}
    document = json.dumps({"usage": usage}, ensure_ascii=False)
    return f"in settings of the pack's configuration: {document}"
