"""Templates of machines that no machines of the stack use: what they say by themselves."""

from typing import Final

from gpuinfra.clouds.observing.rows import Rows, unjudged
from gpuinfra.model import Exposure, Resource, Unknown

_UNUSED: Final = (
    "no machines that are judged here start from it; only its script was searched for secrets"
)
_HIDDEN: Final = "no machines that are judged here start from it, and its script is not known yet"


def unused(template: Resource, secrets: tuple[str, ...] | Unknown) -> Rows:
    """Return a template that is not judged with machines, and the secrets that it shows.

    Args:
        template: whose machines another stack may have.
        secrets: in words, which passwords and keys its start-up script holds, and where.
    """
    if isinstance(secrets, Unknown):
        return unjudged(template, _HIDDEN)
    rows = unjudged(template, _UNUSED)
    shown = (Exposure(subject=template.urn, secrets=secrets),) if secrets else ()
    return Rows(not_judged=rows.not_judged, exposures=shown)
