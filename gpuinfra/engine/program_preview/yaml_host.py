"""The language host of YAML programs: beside the engine, else built once with Go.

The full distribution of Pulumi has it; an engine that was built with Go has not.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from gpuinfra.engine import go_build
from gpuinfra.engine.install import cache_lock
from gpuinfra.engine.program_preview.project import RUN_HINT
from gpuinfra.engine.versions import cache_folder
from gpuinfra.errors import EngineError

NAME: Final = "pulumi-language-yaml"
VERSION: Final = "v1.30.0"
MODULE: Final = "github.com/pulumi/pulumi-yaml"
SUM: Final = "h1:JT2XUmvYPggSqB4+eKQcKbn4KXhJsLuqQTjIASV0iVA="
"""Of the module, as sum.golang.org has it; its own go.sum, within, has those of all it needs."""

BUILD_TIME_TEXT: Final = "the first time this takes some minutes and 2 GB of disk"

_STAMP: Final = f"-s -w -X {MODULE}/pkg/version.Version={VERSION}"


def ensure(engine: Path, show_progress: Callable[[str], None]) -> Path:
    """Return the host: on PATH, beside the engine, in the cache, or built into the cache.

    Raises:
        EngineError: there is none, and it can't be built.
    """
    path = shutil.which(NAME) or shutil.which(NAME, path=str(engine.parent))
    if path:
        return Path(path)
    folder = cache_folder()
    binary = folder / f"yaml-{VERSION}" / "bin" / NAME
    try:
        if not binary.exists():
            with cache_lock(folder, show_progress):
                if not binary.exists():
                    _build(binary, folder, show_progress)
    except OSError as error:
        raise _no_host_error(f"{folder}: {error.strerror or error}") from error
    return binary


def _build(binary: Path, folder: Path, show_progress: Callable[[str], None]) -> None:
    """Build the host into the cache atomically; the caller holds the lock."""
    go = shutil.which("go")
    if go is None:
        raise _no_host_error("there is no go on PATH")
    log = folder / "yaml-build.log"
    show_progress(
        f"building the host of YAML programs {VERSION} with Go; {BUILD_TIME_TEXT}; log: {log}"
    )
    module = _module(go, folder)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as build_folder:
        built_folder = Path(build_folder, VERSION)
        output = str(built_folder / "bin" / NAME)
        command = [go, "build", "-ldflags", _STAMP, "-o", output, f"./cmd/{NAME}"]
        failed = go_build.run_go(command, module, log, show_progress)
        if failed is not None:
            raise _no_host_error(f"{failed} (whole log: {log})")
        target = binary.parents[1]
        shutil.rmtree(target, ignore_errors=True)
        built_folder.rename(target)


def _module(go: str, folder: Path) -> Path:
    """Return the module's source folder, after checking the known checksum.

    `go install` asks for the list of all versions, which a proxy need not have.
    """
    done = subprocess.run(
        [go, "mod", "download", "-json", f"{MODULE}@{VERSION}"],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "GOWORK": "off"},
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    if answer.get("Error") or "Dir" not in answer:
        lines = (answer.get("Error") or done.stderr).strip().splitlines()
        raise _no_host_error(
            f"go mod download failed: {lines[-1] if lines else 'without a message'}"
        )
    if answer.get("Sum") != SUM:
        raise _no_host_error(
            f"{MODULE} {VERSION} has the checksum {answer.get('Sum')}; expected: {SUM}"
        )
    return Path(answer["Dir"])


def _no_host_error(reason: str) -> EngineError:
    return EngineError(
        f"the program is in YAML, and its host {NAME} is neither on PATH nor beside the engine, "
        f"and can't be built: {reason}",
        fix="install Pulumi's full distribution, or Go 1.25 or newer with a module proxy "
        f"(GOPROXY); or {RUN_HINT}",
    )
