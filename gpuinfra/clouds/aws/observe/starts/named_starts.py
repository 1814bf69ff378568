"""Triggers and hooks that start resources of other stacks by name, and EC2 fast launch."""

from collections.abc import Iterator
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.free_cases import values_at
from gpuinfra.clouds.observing.values import as_list, at, flag
from gpuinfra.model import Resource

_FAST: Final = "its fast launch starts Windows machines that are not declared here"
_STARTS: Final = "it starts {}, which is not declared here"


def outside_starts(starter: Resource, index: Index) -> Iterator[str]:
    """Yield the outside resources that a trigger or hook starts; they are judged in their stack.

    https://docs.aws.amazon.com/glue/latest/dg/about-triggers.html
    https://docs.aws.amazon.com/codebuild/latest/userguide/run-build-cli-auto-start.html
    """
    if flag(starter.inputs.get("enabled")) is False:
        return
    for path, kind in TABLES.table("may_start")["starts"][
        resource_types.canonical(starter.type)
    ].items():
        for name in values_at(starter.inputs, path):
            if name is not None and not _is_own(starter, path, kind, name, index):
                yield _STARTS.format(
                    name if isinstance(name, str) else "a resource that is not known yet"
                )


def _is_own(starter: Resource, path: str, kind: str, name: Any, index: Index) -> bool:
    targets = index.targets(starter, path.partition(".")[0], kind, name)
    return bool(targets.certain)


def fast_launch_starts(distribution: Resource, _: Index) -> Iterator[str]:
    """Yield that a distribution of images starts Windows machines to make snapshots of them.

    https://docs.aws.amazon.com/AWSEC2/latest/WindowsGuide/win-ami-config-fast-launch.html
    """
    for region in as_list(distribution.inputs.get("distributions")):
        for launch in as_list(at(region, "fastLaunchConfigurations")):
            if flag(at(launch, "enabled")) is not False:
                yield _FAST
