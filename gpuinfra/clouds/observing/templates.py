"""Templates of machines that no machines of the stack use: what they say by themselves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from gpuinfra.clouds.observing.layers import Layers
from gpuinfra.clouds.observing.rows import unjudged
from gpuinfra.model import Exposure, Resource, Rows, Unknown

_UNUSED: Final = "no machine of this stack starts from it; only its script was checked for secrets"
_HIDDEN: Final = "no machine of this stack starts from it, and its script is not known yet"


Secrets = Callable[[Layers], tuple[str, ...] | Unknown]
"""Says in words which passwords and keys a launch shows, and where."""


def unused(
    templates: Sequence[Resource],
    machines: Iterable[Resource],
    launches_of: Callable[[Resource], Iterable[Layers]],
    secrets_of: Secrets,
) -> Iterator[Rows]:
    """Return what each template says by itself that no machines here start from.

    Args:
        templates: of the stack.
        machines: all that may start from one, surely or perhaps.
        launches_of: what machines start from.
        secrets_of: of a template alone.
    """
    if not templates:
        return
    used: set[str] = set()
    for machine in machines:
        used.update(layer.urn for launch in launches_of(machine) for layer in launch.layers)
        used.update(urn for urns in machine.relations.values() for urn in urns)
    for template in templates:
        if template.urn not in used:
            yield _alone(template, secrets_of(Layers((template,))))


def _alone(template: Resource, secrets: tuple[str, ...] | Unknown) -> Rows:
    """A template that is not judged with machines, which another stack may have."""
    if isinstance(secrets, Unknown):
        return unjudged(template, _HIDDEN, by_type=True)
    rows = unjudged(template, _UNUSED, by_type=True)
    shown = (Exposure(subject=template.urn, secrets=secrets),) if secrets else ()
    return Rows(not_judged=rows.not_judged, exposures=shown)
