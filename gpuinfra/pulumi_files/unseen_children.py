"""Components that a preview shows without what they make, above all those of Kubernetes.

With an input that is not known before the update, their provider makes nothing in a preview, and
warns: "Input properties have unknown values. Preview is incomplete."
https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/helm/v4/chart.go
and, likewise, yaml/v2/configgroup.go, yaml/v2/configfile.go and kustomize/v2/directory.go
(2026-11-27). The components of the SDKs make their objects in the program, once
their inputs are known.

Components of other packages that a table lists always make something, too.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.machineless_types import reason_not_judged
from gpuinfra.model import NotJudged
from gpuinfra.pulumi_files.resource_entries import STACK, ResourceEntry

_COMPONENT: Final = re.compile(
    r"kubernetes:(?:helm\.sh/v\d:Chart|kustomize(?:/v2)?:Directory"
    r"|yaml(?:/v2)?:Config(?:File|Group))"
)
_INCOMPLETE: Final = "Preview is incomplete"
_UNSEEN: Final = (
    "the preview does not show what it makes, as its inputs are not known before the update; "
    "check the state afterwards: pulumi stack export"
)


def is_of_incomplete_preview(severity: Any, message: Any) -> bool:
    """Return whether a diagnostic warns that the preview leaves resources out."""
    return severity == "warning" and _INCOMPLETE in str(message)


def unseen_children(
    entries: Mapping[str, ResourceEntry], warned: Mapping[str, str]
) -> Iterator[NotJudged]:
    """Yield what a preview leaves out: components without children, and each warning of others.

    Args:
        entries: of the resources that exist after the update.
        warned: the types of the resources that warn of an incomplete preview, by URN.
    """
    parents = {entry.parent for entry in entries.values()}
    unseen = {
        urn: entry.type
        for urn, entry in entries.items()
        if urn not in parents and _makes_children(entry)
    }
    # Some warn at the stack, not at the component that is meant.
    unseen_by_urn = {urn: kind for urn, kind in warned.items() if kind != STACK or not unseen}
    for urn, kind in {**unseen_by_urn, **unseen}.items():
        yield NotJudged(subject=urn, type=kind, reason=reason_not_judged(kind) or _UNSEEN)


def _makes_children(entry: ResourceEntry) -> bool:
    """Return whether an entry is a component that always makes something."""
    is_listed = not entry.custom and reason_not_judged(entry.type)
    return bool(is_listed or _COMPONENT.fullmatch(entry.type))
