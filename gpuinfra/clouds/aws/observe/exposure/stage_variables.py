"""The values of an API's stage variables in its integrations.

https://docs.aws.amazon.com/apigateway/latest/developerguide/aws-api-gateway-stage-variables-reference.html
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.observing.values import at
from gpuinfra.model import UNKNOWN, Resource, Unknown

_VARIABLE: Final = re.compile(r"\$\{stageVariables\.(\w+)\}")
_STAGES: Final = (
    ("aws:apigateway/stage:Stage", "restApi", ("variables",)),
    ("aws:apigateway/stage:Stage", "restApi", ("canarySettings", "stageVariableOverrides")),
    ("aws:apigateway/deployment:Deployment", "restApi", ("variables",)),
    ("aws:apigatewayv2/stage:Stage", "apiId", ("stageVariables",)),
)
"""The types that give variables values, each with the input of its API and of the variables."""
StatedValue = tuple[Resource, str, Any]
"""A resource, its input that has a value, and the value."""


def are_in(value: Any) -> bool:
    """Return whether a value has variables of a stage."""
    return isinstance(value, str) and _VARIABLE.search(value) is not None


def values_in_stages(
    stated_value: StatedValue, apis: Iterable[Resource], index: Index
) -> tuple[StatedValue, ...]:
    """Return the values of a text in each stage; a text without variables is unchanged.

    It returns nothing for variables that no stage here has.
    """
    return (
        tuple(_values_in_stages(stated_value[2], apis, index))
        if are_in(stated_value[2])
        else (stated_value,)
    )


def _values_in_stages(value: str, apis: Iterable[Resource], index: Index) -> Iterator[StatedValue]:
    for api in apis:
        for kind, owner, keys in _STAGES:
            for stage in index.referrers(api, kind, owner).certain:
                filled = _fill_variables(value, at(stage.inputs, *keys))
                if filled is not None:
                    yield stage, keys[0], filled


def _fill_variables(value: str, variables: Mapping[str, Any] | Any) -> str | Unknown | None:
    """Return a text with the values of its variables; None where one has no value."""
    values = {name: at(variables, name) for name in _VARIABLE.findall(value)}
    if any(nested_value is None for nested_value in values.values()):
        return None
    if UNKNOWN in values.values():
        return UNKNOWN
    return _VARIABLE.sub(lambda match: str(values[match[1]]), value)
