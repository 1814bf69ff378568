"""Settings that are faults by themselves: encryption that is off, a console that is on."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.tables import TABLES
from gpuinfra.clouds.observing.fault_texts import rule_faults
from gpuinfra.clouds.observing.values import at, equals, flag
from gpuinfra.model import UNKNOWN, Defect, Known, Resource

_CONSOLE: Final = "login-identity"


def defects(index: Index) -> Iterator[Defect]:
    """Yield the resources with such a setting, or one that is not known yet."""
    for row in TABLES.rows("switches"):
        for resource in index.of_kind(row["type"]):
            is_faulty = _is_faulty(resource, row)
            if is_faulty is not False:
                messages = UNKNOWN if is_faulty is UNKNOWN else (row["words"],)
                yield Defect(
                    name=resource.name,
                    subject=resource.urn,
                    cloud="aws",
                    faults=rule_faults("login-identity", messages)
                    if row["rule"] == _CONSOLE
                    else rule_faults("disk-encrypted", messages),
                )


def _is_faulty(resource: Resource, row: Mapping[str, Any]) -> Known:
    value = flag(at(resource.inputs, *row["path"].split(".")))
    if value is None:
        is_decided_instead = any(resource.inputs.get(key) is not None for key in row["instead"])
        return bool(row["unstated"]) and not is_decided_instead
    return equals(value, row["faulty"])
