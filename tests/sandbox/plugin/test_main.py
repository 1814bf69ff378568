import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpuinfra.sandbox.plugin", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("arguments", [(), ("oracle",)])
def test_an_unknown_cloud_is_told_which_there_are(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)

    assert done.returncode == 2
    assert done.stdout.startswith("usage: python -m gpuinfra.sandbox.plugin aws")


def test_a_damaged_ledger_is_a_message_and_no_traceback(sandbox_home: Path) -> None:
    sandbox_home.mkdir()
    (sandbox_home / "ledger.db").write_text("no database", encoding="utf-8")

    done = run("aws")

    assert done.returncode == 1
    assert "gpuinfra sandbox reset" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_plugin_knows_nothing_of_gpuinfra() -> None:
    code = (
        "import sys, gpuinfra.sandbox.plugin.__main__\n"
        "from gpuinfra.sandbox.plugin.aws import lookups, references, refusals\n"
        "from gpuinfra.sandbox.aws import HANDLERS\n"
        "print(*sorted(name for name in sys.modules if name.startswith('gpuinfra.')))"
    )
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ
    ).stdout.split()

    assert all(name == "gpuinfra.errors" or name.startswith("gpuinfra.sandbox") for name in loaded)
    assert len(HANDLERS_NEEDED & set(loaded)) == len(HANDLERS_NEEDED)


HANDLERS_NEEDED = {"gpuinfra.sandbox.aws", "gpuinfra.sandbox.plugin.service"}
