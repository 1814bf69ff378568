"""Groups whose fields are named without the records that they stand in."""

from dataclasses import replace
from typing import Any, Final

from gpuinfra.model import Group, GroupLifecycle, MarketFacts, WorkloadNeeds
from gpuinfra.records import names

_RECORDS: Final[dict[str, type[Any]]] = {
    "needs": WorkloadNeeds,
    "lifecycle": GroupLifecycle,
    "market": MarketFacts,
}
_NAMES: Final = {"nvlink_wish": ("needs", "nvlink"), "fabric_wish": ("needs", "fabric")}
_PLACES: Final = {
    **{
        name: (record, name)
        for record, kind in _RECORDS.items()
        for name in names(kind) - names(Group)
    },
    **_NAMES,
}


def grouped(**fields: Any) -> Group:
    """Return a group, by its fields and those of its records."""
    own = {name: value for name, value in fields.items() if name not in _PLACES}
    return changed(Group(**own), **{name: fields[name] for name in fields if name in _PLACES})


def changed(group: Group, **fields: Any) -> Group:
    """Return a group with some fields of its own and of its records changed."""
    own: dict[str, Any] = {}
    for name, value in fields.items():
        record, key = _PLACES.get(name, ("", name))
        if record:
            own[record] = replace(own.get(record, getattr(group, record)), **{key: value})
        else:
            own[name] = value
    return replace(group, **own)
