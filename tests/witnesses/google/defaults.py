"""Inputs that Google Cloud or its provider chooses to the user's loss where they are left out.

What a default is stands in the provider's own documentation (`says`, which a test looks up in the
SDK), or on the page that is named as its source.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from gpuinfra.sandbox.plugin.wire import UNKNOWN
from tests.witnesses.aws.stack import Stack, each


class Default(NamedTuple):
    """What happens without an input.

    Attributes:
        token: the end of the resource's token.
        path: the input.
        loss: what the default does.
        says: words of the input's documentation in the SDK.
        source: the page that says so, where the SDK does not.
        when: a value that the resource has to have for the row to count, at a path.
    """

    token: str
    path: str
    loss: str
    says: str = ""
    source: str = ""
    when: tuple[str, Any] = ("", None)


D: Final = "https://docs.cloud.google.com/compute/docs/"
TEMPLATE: Final = "InstanceTemplate"
POLICY: Final = "autoscalingPolicy"
KEPT: Final = "what runs delete is kept, and paid for, for a week"

DEFAULTS: Final = (
    Default(
        "Network",
        "mtu",
        "packets of 1460 bytes, where machines and buckets take 8896",
        says="The default value is 1460 bytes.",
        when=("networkProfile", None),
    ),
    Default(
        "RegionAutoscaler",
        f"{POLICY}.cooldownPeriod",
        "a machine that still loads its model counts",
        says="The default time autoscaler waits is 60 seconds.",
    ),
    Default(
        "RegionAutoscaler",
        f"{POLICY}.metrics.type",
        "nothing says whether the target is a value or a rate",
        says="Possible values are: `GAUGE`, `DELTA_PER_SECOND`, `DELTA_PER_MINUTE`.",
    ),
    Default(
        "RegionBackendService",
        "backends.balancingMode",
        "it is refused, since packets that are passed on are balanced by CONNECTION",
        says="Default value is `UTILIZATION`.",
    ),
    Default(
        "RegionHealthCheck",
        "httpHealthCheck.requestPath",
        "/ is asked, which tells nothing of the model",
        says="The default value is /.",
    ),
    Default(
        "RegionInstanceGroupManager",
        "distributionPolicyTargetShape",
        "EVEN: a zone without room holds the group up",
        source=f"{D}instance-groups/regional-mig-set-target-distribution-shape",
    ),
    Default(
        "InstanceGroupManager",
        "updatePolicy",
        "no page says whether an update ends the run",
        source=f"{D}reference/rest/v1/instanceGroupManagers",
    ),
    Default(
        "Bucket", "softDeletePolicy.retentionDurationSeconds", KEPT, "Default value is 604800."
    ),
    Default(
        "Bucket",
        "softDeletePolicy",
        KEPT,
        source="https://docs.cloud.google.com/storage/docs/soft-delete",
    ),
    Default(
        TEMPLATE,
        "metadataStartupScript",
        "machines start and do nothing",
        source=f"{D}instances/startup-scripts",
    ),
    Default(
        TEMPLATE,
        "networkInterfaces.nicType",
        "VirtIO on older series, which carries 32 Gbit/s and no fabric (from memory)",
        source=f"{D}networking/using-gvnic",
    ),
    Default(
        TEMPLATE,
        "scheduling.instanceTerminationAction",
        "a spot machine stops, and its disk stays and is paid for (from memory)",
        source=f"{D}instances/create-use-spot",
        when=("scheduling.provisioningModel", "SPOT"),
    ),
)


def complaints(stack: Stack) -> Iterator[str]:
    """Inputs that are left to a default which costs something."""
    for row in DEFAULTS:
        for resource, inputs in stack.of(row.token):
            if row.when[0] and next(each(inputs, row.when[0]), None) != row.when[1]:
                continue
            above, _, name = row.path.rpartition(".")
            for holder in each(inputs, above) if above else [inputs]:
                given = holder.get(name) if isinstance(holder, dict) else UNKNOWN
                if given is None:
                    yield f"{resource.key}: without {row.path}: {row.loss}"
