"""A plan from the resources of any Pulumi program, including gpuinfra's own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from gpuinfra.clouds import CLOUDS, cloud_of, provider_of
from gpuinfra.clouds.observing.type_tokens import is_engines
from gpuinfra.model import Caps, Grant, Plan, Resource, Usage, combined_rows
from gpuinfra.planning.exposed_secrets import exposures

if TYPE_CHECKING:
    from gpuinfra.clouds.observing.rows import UniqueNames
from gpuinfra.model import Rows

_NO_USAGE: Final = Usage()
_CLOUDS_OF_OTHERS: Final = {"vault:aws/secretBackendRole:SecretBackendRole": "aws"}
"""Types of no cloud that hand out rights of one, which judges them."""


def from_resources(
    resources: Sequence[Resource],
    *,
    name: str,
    caps: Caps,
    usage: Usage = _NO_USAGE,
    owner: str | None = None,
    outputs: Mapping[str, Any] | None = None,
) -> Plan:
    """Return the plan of resources, observed cloud by cloud; tags are not read.

    `usage` is what no resource shows, by the resources' own names. A resource that its cloud does
    not judge, or that is no cloud's, stays in `not_judged`. `outputs` are the stack's own, those
    aside that are marked as secrets; None where they are not shown.
    """
    clouds = clouds_of_types({resource.type for resource in resources})
    rows_by_cloud = {
        cloud: provider_of(cloud).observe.observe(resources, usage) for cloud in clouds
    }
    notes: tuple[str, ...] = ()
    if usage.trust:
        from gpuinfra.planning import trusted_resources  # noqa: PLC0415  (few stacks have any)

        rows_by_cloud = {
            cloud: trusted_resources.apply_trust(cloud, rows_by_cloud[cloud], resources, usage)
            for cloud in clouds
        }
        notes = tuple(trusted_resources.notes(resources, usage.trust))
    observed = _with_unique_names(rows_by_cloud)
    observed_rows = combined_rows(
        replace(
            rows,
            not_judged=tuple(
                row for row in rows.not_judged if clouds_of_types((row.type,), clouds) == (cloud,)
            ),
        )
        for cloud, rows in observed.items()
    )
    all_exposures = (*exposures(name, resources, outputs), *observed_rows.exposures)
    grants = (*observed_rows.grants, *grants_outside_clouds(resources))
    return Plan(
        **dict[str, Any](observed_rows.rows_by_field(), exposures=all_exposures, grants=grants),
        name=name,
        owner=owner,
        caps=caps,
        data=usage.data,
        notes=notes,
    )


def _with_unique_names(observed: "Mapping[str, Rows]") -> "dict[str, Rows]":
    """Return the clouds' rows, with a number added to group names that another cloud has, too."""
    from gpuinfra.clouds.observing.rows import UniqueNames  # noqa: PLC0415  (a stack file needs none)

    names = UniqueNames(group.name for rows in observed.values() for group in rows.groups)
    return {cloud: _rows_with_unique_names(rows, names) for cloud, rows in observed.items()}


def _rows_with_unique_names(rows: "Rows", names: "UniqueNames") -> "Rows":
    unique_names = {group.name: names.unique_name(group.name) for group in rows.groups}
    if all(name == new for name, new in unique_names.items()):
        return rows
    return replace(
        rows,
        groups=tuple(replace(group, name=unique_names[group.name]) for group in rows.groups),
        items=tuple(
            replace(item, group=_new_name(item.group, unique_names)) for item in rows.items
        ),
        file_systems=tuple(
            replace(files, group=_new_name(files.group, unique_names))
            for files in rows.file_systems
        ),
    )


def _new_name(name: str | None, new_names: Mapping[str, str]) -> str | None:
    return None if name is None else new_names.get(name, name)


def grants_outside_clouds(resources: Iterable[Resource]) -> tuple[Grant, ...]:
    """Return what resources of no cloud let others do."""
    outside = [
        each
        for each in resources
        if each.custom and not is_engines(each.type) and cloud_of(each.type) is None
    ]
    if not outside:
        return ()
    from gpuinfra.clouds.outside_grants import outside_grants  # noqa: PLC0415  (few stacks have any)

    return tuple(outside_grants(outside))


def clouds_of_types(types: Iterable[str], loaded: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the clouds that judge the resource types: their own, or any one if they have none.

    About types that are no cloud's all clouds say the same, so any one is asked, the first that is
    `loaded` if there is one.
    """
    clouds = {_CLOUDS_OF_OTHERS.get(type_) or cloud_of(type_) for type_ in types}
    present = tuple(cloud for cloud in CLOUDS if cloud in clouds)
    return present or tuple(loaded[:1]) or CLOUDS[:1]
