"""The packages that a program may use besides those of the sandbox."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

DYNAMIC: Final = "pulumi-python"
"""What resources belong to that a Python program defines itself (pulumi.dynamic)."""

NO_VERSION: Final = "0.0.0"

_PLUGIN_FILE: Final = "pulumi-plugin.json"
"""The file in every SDK with its plugin's name and version.

https://github.com/pulumi/pulumi/blob/master/sdk/python/cmd/pulumi-language-python (plugins)
"""


def installed_sdks(folders: Iterable[Path]) -> dict[str, str]:
    """Return the versions of Pulumi SDKs in folders of Python packages, by name."""
    versions = {DYNAMIC: NO_VERSION}
    for folder in folders:
        for file in folder.glob(f"*/{_PLUGIN_FILE}"):
            try:
                metadata = json.loads(file.read_text("utf-8"))
            except (OSError, ValueError):
                continue  # a broken SDK shows when the program imports it
            name = metadata.get("name") if isinstance(metadata, dict) else None
            if isinstance(name, str) and _is_plain(name):
                version = metadata.get("version")
                versions.setdefault(name, version if isinstance(version, str) else NO_VERSION)
    return versions


def _is_plain(name: str) -> bool:
    """Return whether a name may be part of a file name."""
    return name.replace("-", "").replace("_", "").isalnum()
