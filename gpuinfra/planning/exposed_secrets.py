"""Secrets in a stack's outputs and in the environments of its programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuinfra.clouds.environment_secrets import exposed_secrets, unknown_variables
from gpuinfra.clouds.secrets import value_secrets
from gpuinfra.model import UNKNOWN, Exposure, Resource


def exposures(
    name: str, resources: Sequence[Resource], outputs: Mapping[str, Any] | None
) -> tuple[Exposure, ...]:
    """Return each exposed place, the stack's outputs first.

    Args:
        name: the stack's.
        resources: all of it.
        outputs: of the stack, those aside that are marked as secrets; None where they are not
            shown.
    """
    resource_exposures = [
        Exposure(
            subject=resource.urn,
            secrets=secrets,
            unknown_variables=unknown_variables(resource) if secrets is UNKNOWN else (),
        )
        for resource in resources
        if (secrets := exposed_secrets(resource)) is not None
    ]
    if outputs is not None:
        resource_exposures.insert(
            0, Exposure(subject=name, secrets=tuple(_output_secrets(outputs)))
        )
    return tuple(resource_exposures)


def _output_secrets(outputs: Mapping[str, Any]) -> Iterator[str]:
    for key, value in outputs.items():
        yield from value_secrets(value, f"the output {key}")
