"""``python -m gpuinfra.engine.pack_process ENGINE FOLDER``: run a policy pack for an engine.

A pack of gpuinfra needs Pulumi's protocol alone. The SDK takes longer to import than such a pack
itself, and the engine waits for each pack that it starts.
"""

import gc
import runpy
import sys
from pathlib import Path

from gpuinfra.sandbox.plugin.protocol import skip_sdk_imports
from gpuinfra.shipped import shipped_path


def main(folder: str) -> None:
    """Run the pack in this folder: gpuinfra's own without the SDK, others as Pulumi does."""
    if Path(folder).resolve().parent != shipped_path("packs", "policies").resolve():
        runpy.run_module("pulumi.policy", run_name="__main__", alter_sys=True)
        return
    skip_sdk_imports()
    gc.disable()  # what is imported stays; the pack's server looks for garbage again
    runpy.run_path(folder, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[2])
