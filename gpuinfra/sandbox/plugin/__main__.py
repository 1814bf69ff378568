"""``python -m gpuinfra.sandbox.plugin CLOUD [ENGINE]``: serve one cloud to its engine."""

import os
import sys
from importlib import import_module

from gpuinfra.errors import SandboxError
from gpuinfra.sandbox.plugin import protocol

# Only the asked cloud is imported: the engine waits for the plugin's port.
_CLOUDS = {
    "aws": "gpuinfra.sandbox.plugin.aws.cloud",
    "gcp": "gpuinfra.sandbox.plugin.gcp.cloud",
    "azure-native": "gpuinfra.sandbox.plugin.azure.cloud",
}


def main(arguments: list[str]) -> int:
    """Serve until the engine ends the process; return 2 or 1 on an error."""
    parent = os.getppid()
    if not arguments or arguments[0] not in _CLOUDS:
        print(f"usage: python -m gpuinfra.sandbox.plugin {'|'.join(_CLOUDS)} [ENGINE]")  # noqa: T201
        return 2
    from gpuinfra.sandbox.plugin.plugin_server import serve  # noqa: PLC0415
    from gpuinfra.sandbox.plugin.service import Service  # noqa: PLC0415  without the SDK

    engine = arguments[-1] if len(arguments) > 1 else ""
    try:
        service = Service(import_module(_CLOUDS[arguments[0]]).cloud(), engine)
    except SandboxError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    serve(service, parent)
    service.end()
    os._exit(0)  # queued creates are not made: no caller is left to receive the result


if __name__ == "__main__":
    protocol.skip_sdk_imports()
    sys.exit(main(sys.argv[1:]))
