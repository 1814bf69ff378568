"""Machine templates that no machine of the stack uses: what they allow once one does."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

from gpuinfra.clouds.observing.index import Index
from gpuinfra.clouds.observing.launch_sources import LaunchSources
from gpuinfra.clouds.observing.rows import unjudged_rows
from gpuinfra.model import Exposure, Resource, Rows, Unknown

_UNUSED_REASON: Final = (
    "no machine of this stack starts from it; only its script was checked for secrets"
)
_HIDDEN: Final = "no machine of this stack starts from it, and its script is not known yet"


AnyIndex = TypeVar("AnyIndex", bound=Index)
Secrets = Callable[[LaunchSources], tuple[str, ...] | Unknown]
"""Says in words which passwords and keys a launch shows, and where."""


def unused_template_rows(
    index: AnyIndex,
    kind: str,
    kinds: Iterable[str],
    asked_of: Callable[[Resource, AnyIndex], Any],
    secrets_of: Secrets,
) -> Iterator[Rows]:
    """Yield the rows of each template that no machines of the stack start from.

    Args:
        index: of the stack.
        kind: of the templates.
        kinds: of all machines that may start from one, surely or perhaps.
        asked_of: the request for machines, whose options launch from templates.
        secrets_of: of a template alone.
    """
    templates = index.of_kind(kind)
    if not templates:
        return
    used: set[str] = set()
    for machine in (machine for kind in sorted(kinds) for machine in index.of_kind(kind)):
        launches = (option.launch for option in asked_of(machine, index).options)
        used.update(layer.urn for launch in launches for layer in launch.layers)
        used.update(urn for urns in machine.relations.values() for urn in urns)
    for template in templates:
        if template.urn not in used:
            yield _rows_without_machines(template, secrets_of(LaunchSources((template,))))


def _rows_without_machines(template: Resource, secrets: tuple[str, ...] | Unknown) -> Rows:
    """Return the rows of a template without machines, which another stack may have."""
    if isinstance(secrets, Unknown):
        return unjudged_rows(template, _HIDDEN, by_type=True)
    rows = unjudged_rows(template, _UNUSED_REASON, by_type=True)
    exposures = (Exposure(subject=template.urn, secrets=secrets),) if secrets else ()
    return Rows(not_judged=rows.not_judged, exposures=exposures)
