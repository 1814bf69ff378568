"""The sandbox's folder, and safe file access by several processes."""

import json
import os
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from gpuinfra import file_locks

HOME_VARIABLE = "GPUINFRA_SANDBOX_HOME"
STRICT_VARIABLE = "GPUINFRA_SANDBOX_STRICT"
ENDPOINT_VARIABLE = "GPUINFRA_SANDBOX_ENDPOINT"
ON_DEMAND_VARIABLE = "GPUINFRA_SANDBOX_ON_DEMAND"

LEDGER_FILE = "ledger.db"
FAULTS_FILE = "faults.json"
SERVER_FILE = "server.json"
STATE_FOLDER = "state"
SCHEMA_FOLDER = "schemas"
LOOKUPS_FILE = "unknown_lookups.txt"

# What the server answers, to say that it runs.
HEALTH_PATH = "/gpuinfra-sandbox"


def sandbox_home() -> Path:
    """Return the sandbox's folder, GPUINFRA_SANDBOX_HOME or in the user's data; create it."""
    configured_path = os.environ.get(HOME_VARIABLE)
    if configured_path:
        folder = Path(configured_path)
    else:
        import platformdirs  # noqa: PLC0415  plugins always get the variable and need not load it

        folder = platformdirs.user_data_path("gpuinfra") / "sandbox"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def read_json(path: Path) -> Any:
    """Return the file's content, or None if it is missing or incomplete."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def write_json(path: Path, value: Any) -> None:
    """Replace the file atomically."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
    Path(name).replace(path)


def hold_lock(path: Path) -> AbstractContextManager[None]:
    """Hold the exclusive lock of `path`; other processes wait."""
    return file_locks.hold_lock(path.with_name(f".{path.name}.lock"))
