"""The look-ups (`invoke`) that the AWS plugin answers; any other is refused by name."""

from gpuinfra.sandbox.plugin.aws.lookups import (
    images,
    machines,
    network,
    places,
    policies,
    services,
)
from gpuinfra.sandbox.plugin.cloud import Invoke

INVOKES: dict[str, Invoke] = {
    **images.INVOKES,
    **machines.INVOKES,
    **network.INVOKES,
    **places.INVOKES,
    **policies.INVOKES,
    **services.INVOKES,
}
