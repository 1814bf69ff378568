"""The targets of references in Google Cloud inputs: their types and path forms."""

from dataclasses import dataclass

from gpuinfra.sandbox.plugin.facts import records


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTarget:
    """A kind of reference target.

    Attributes:
        made_by: the Pulumi types that make it.
        collection: its name in paths, for example `networks`.
        scope: where a bare name is looked for: global, region, zone, or place for the referring
            resource's own; empty where a reference is a whole name that `key` holds.
        key: the output that holds the reference where it is no path.
        holds: it can't be deleted while something refers to it.
        service: whose words a refusal has: compute, or another service's.
    """

    made_by: tuple[str, ...]
    collection: str = ""
    scope: str = ""
    key: str = ""
    holds: bool = True
    service: str = "compute"


KINDS = records("gcp", "kinds", ReferenceTarget)
