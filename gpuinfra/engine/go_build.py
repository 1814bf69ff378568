"""Building of the Pulumi CLI with Go and a module file of gpuinfra, for offline machines.

Go modules can often be reached (a proxy of the company's) where the official download cannot.
A plain `go install …@version` is refused because of a replacement in Pulumi's own go.mod.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from gpuinfra.engine.contract import EngineAttempt
from gpuinfra.engine.versions import UnsupportedVersionError, version_of

VERSION = "3.250.0"
"""The newest version of the module that was built and tried; gomodule/go.mod names it too."""

PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
STAMP = f"-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{VERSION}"
BUILD_TIME_TEXT = "the first time this takes 4 to 13 minutes on two cores and 3 GB of disk"
METHOD = "a build with Go"

_SAY_EVERY = 30.0
_TAIL = 6


def install(folder: Path, show_progress: Callable[[str], None]) -> EngineAttempt | None:
    """Build the CLI into `folder`/<version>/bin; return None if it worked, else the failure.

    The binary appears there in one step, complete and tried, or not at all.
    """
    go = shutil.which("go")
    if go is None:
        return EngineAttempt(
            description=METHOD,
            result="no go on PATH",
            fix="install Go 1.25 or newer and put it on PATH",
        )
    log = folder / "go-build.log"
    show_progress(f"building the Pulumi engine {VERSION} with Go; {BUILD_TIME_TEXT}; log: {log}")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as build_folder:
        module, built_folder = Path(build_folder, "module"), Path(build_folder, VERSION)
        module.mkdir()
        for name in ("go.mod", "go.sum"):
            text = (resources.files("gpuinfra.engine") / "gomodule" / name).read_text("utf-8")
            (module / name).write_text(text, encoding="utf-8")
        binary = built_folder / "bin" / "pulumi"
        command = [go, "build", "-ldflags", STAMP, "-o", str(binary), PACKAGE]
        failed = run_go(command, module, log, show_progress) or _unfit_reason(binary)
        if failed is not None:
            return EngineAttempt(
                description=METHOD,
                result=f"{failed} (whole log: {log})",
                fix="allow Go to reach a module proxy (GOPROXY), use Go 1.25 or newer, and "
                "free 3 GB of disk",
            )
        target = folder / VERSION
        shutil.rmtree(target, ignore_errors=True)
        built_folder.rename(target)
    return None


def run_go(
    command: list[str], module: Path, log: Path, show_progress: Callable[[str], None]
) -> str | None:
    """Run Go in a module's folder with its output in the log; return None or its last lines.

    Else its last words.
    """
    began = time.monotonic()
    environment = {**os.environ, "GOWORK": "off"}
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command,
            cwd=module,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while True:
                try:
                    code = process.wait(timeout=_SAY_EVERY)
                    break
                except subprocess.TimeoutExpired:
                    show_progress(f"still building, {time.monotonic() - began:.0f} s so far")
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if code == 0:
        return None
    lines = log.read_text("utf-8", "replace").strip().splitlines()
    return f"go build failed: {' / '.join(line.strip() for line in lines[-_TAIL:]) or code}"


def _unfit_reason(binary: Path) -> str | None:
    try:
        version_of(binary)
    except UnsupportedVersionError as error:
        return str(error)
    return None
