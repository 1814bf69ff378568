"""``pulumi-resource-gpuinfra``: the plugin that Pulumi's engine starts for the components."""

import sys
from importlib.util import find_spec


def main() -> None:
    """Serve the components to the engine that started this process."""
    if find_spec("pulumi") is None:
        sys.exit(
            "the Python package pulumi is missing; pip install 'gpuinfra[aws]', [gcp], [azure]"
        )
    from pulumi.provider import server  # noqa: PLC0415  so that this can be said

    from gpuinfra.provider.components import Components  # noqa: PLC0415
    from gpuinfra.provider.late_errors import Servicer  # noqa: PLC0415

    # The SDK takes no other class for it.
    server.ProviderServicer = Servicer  # type: ignore[misc]
    server.main(Components(), sys.argv[1:])


if __name__ == "__main__":
    main()
