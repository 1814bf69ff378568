"""Installation of the Pulumi CLI by its official installer, with a timeout."""

import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path

from gpuinfra.clouds.network_failures import network_reason
from gpuinfra.engine.contract import EngineAttempt

INSTALLER = "https://get.pulumi.com/install.sh"
"""The installer URL that the Automation API uses (pulumi.automation.PulumiCommand.install)."""

REACH_SECONDS = 8.0
INSTALL_SECONDS = 900.0
METHOD = "the official installer"


def install(folder: Path) -> EngineAttempt | None:
    """Install the SDK's version of the CLI in `folder`/<version>; return None or the failure.

    The installer has no deadline of its own, so that a machine without internet would wait for
    minutes: its address is asked first, and both steps run in a thread that is left behind.
    """
    try:
        from pulumi._version import version
        from pulumi.automation import PulumiCommand
    except ImportError:
        return EngineAttempt(
            description=METHOD,
            result="it is part of the Python package pulumi, which is not installed",
            fix="pip install 'gpuinfra[engine]'",
        )
    root = str(folder / str(version))
    failed = _run_with_timeout(
        REACH_SECONDS, lambda: _check_address(INSTALLER)
    ) or _run_with_timeout(INSTALL_SECONDS, lambda: PulumiCommand.install(root=root))
    if failed is None:
        return None
    return EngineAttempt(
        description=METHOD,
        result=failed,
        fix="allow access to get.pulumi.com (HTTPS_PROXY is honoured), or install the CLI "
        "by hand and set GPUINFRA_PULUMI to it",
    )


def _check_address(address: str) -> None:
    with urllib.request.urlopen(address, timeout=REACH_SECONDS) as answer:  # noqa: S310
        answer.read(1)


def _run_with_timeout(seconds: float, work: Callable[[], object]) -> str | None:
    """Run `work` with a timeout; return None if it succeeded in time, else the reason."""
    failures: list[BaseException] = []

    def attempt() -> None:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    thread = threading.Thread(target=attempt, name="gpuinfra-install", daemon=True)
    thread.start()
    thread.join(seconds + 1)
    if thread.is_alive():
        return f"{INSTALLER} did not answer within {seconds:.0f} s"
    return failure_text(failures[0]) if failures else None


def failure_text(failure: BaseException) -> str:
    """Return why an installer failed: the last line it printed, or the error itself."""
    output = getattr(failure, "output", None)
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else str(output or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = network_reason(failure) or getattr(failure, "reason", None) or failure
    return f"{INSTALLER}: {lines[-1] if lines else reason}"
