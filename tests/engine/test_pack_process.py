import signal
import subprocess
import sys
from pathlib import Path

import pytest

PACK = Path(__file__).parents[2] / "policies" / "spot"


@pytest.mark.slow
def test_a_pack_of_gpuinfra_starts_without_pulumis_sdk() -> None:
    module = [*("-X", "importtime"), *("-m", "gpuinfra.engine.pack_process")]
    with subprocess.Popen(
        [sys.executable, *module, "127.0.0.1:1", "."],
        cwd=PACK,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        process.send_signal(signal.SIGINT)
        _, imported = process.communicate(timeout=60)

    assert "pulumi.runtime.proto" in imported
    assert "pulumi.automation" not in imported
