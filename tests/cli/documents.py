"""The keys of JSON answers, as docs/json.md has them."""

import re
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "json.md"


def documented() -> dict[str, set[str]]:
    """The top-level keys of each command, as docs/json.md has them."""
    keys: dict[str, set[str]] = {}
    for row in re.findall(r"^\| (`.+?) \| (.+) \|$", DOCUMENT.read_text(), re.MULTILINE):
        named = re.sub(r"\(.*?\)", "", row[1].split(";")[0])
        for command in re.findall(r"`(.+?)`", row[0]):
            keys[command] = set(re.findall(r"`(.+?)`", named))
    return keys
