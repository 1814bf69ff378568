"""The stack of a preview or state file: its resources, each with region, account and relations."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from gpuinfra.clouds import (
    PACKAGES,
    account_of,
    cloud_of,
    credentials_of,
    provider_of,
    region_of,
    zone_of,
)
from gpuinfra.errors import InputError
from gpuinfra.model import STACK_REFERENCE, NotJudged, Resource, Unknown
from gpuinfra.pulumi_files.file_faults import CREATE_FILE_AGAIN, FileError
from gpuinfra.pulumi_files.resource_entries import PROVIDERS, STACK, ResourceEntry, no_circle
from gpuinfra.records import record
from gpuinfra.urns import project_of, stack_of

Kind = Literal["digest", "stream", "state"]

KINDS: Final[Mapping[str, str]] = {
    "digest": "pulumi preview --json",
    "stream": "pulumi preview --json, as a stream of events",
    "state": "pulumi stack export",
}

MAX_RESOURCES: Final = 300_000
"""Resources of one file: ten times as many as the largest stacks have, within 1 GiB to read."""

TOO_MANY: Final = f"the file has more than {MAX_RESOURCES:,} resources, the maximum"

_KUBERNETES_PROVIDER: Final = f"{PROVIDERS}kubernetes"
_NO_DEPENDENCIES: Final = (
    "a stream of events has no property dependencies, so connections between resources "
    "are unknown; preview without PULUMI_ENABLE_STREAMING_JSON_PREVIEW"
)


@record(kw_only=False)
class LeavingResource:
    """A resource that a preview deletes or replaces; `coexists`: after its replacement exists."""

    urn: str
    type: str
    replaced: bool
    coexists: bool = False


@record
class PulumiStack:
    """A stack from one of Pulumi's files.

    Attributes:
        kind: which file it is.
        name: the stack's project and name.
        resources: existing and planned resources, components too; without providers and the stack.
        leaving: what a preview takes away.
        not_read: resources that may exist and can't be read, so that it can't be judged.
        notes: what a reader of a verdict has to know, one sentence each.
        secrets: texts that were secret in the file; they may not be shown.
        outputs: of the stack itself, `UNKNOWN` where they are marked as secrets; None for a
            preview that does not show them.
        created_urns: the URNs of resources that a preview creates or replaces.
        withheld_inputs: inputs, by URN and name, in which the file keeps a secret back.
        former_resources: the resources before a preview's update, unchanged.
        preview_error: why the preview failed, so that this is a partial stack; else None.
    """

    kind: Kind
    name: str
    resources: tuple[Resource, ...]
    leaving: tuple[LeavingResource, ...] = ()
    not_read: tuple[NotJudged, ...] = ()
    notes: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()
    outputs: Mapping[str, Any] | None = None
    created_urns: frozenset[str] = frozenset()
    withheld_inputs: frozenset[tuple[str, str]] = frozenset()
    former_resources: tuple[Resource, ...] = ()
    preview_error: InputError | None = None

    def is_written_later(self, resource: Resource, key: str) -> bool:
        """Return whether an unknown input is written from resources that the update creates.

        A secret that the file keeps back is none: the preview may have known it.
        """
        sources = resource.relations.get(key, ())
        is_withheld = (resource.urn, key) in self.withheld_inputs
        return not is_withheld and not self.created_urns.isdisjoint(sources)


@dataclass(slots=True)
class EntryCollector:
    """The entries of one file so far.

    `config` is the Pulumi configuration that the file names, for providers it does not list.
    `extra` exist, or may exist, besides those that the program declares, each for a reason.
    `created_urns` are the URNs of created or replaced resources, `retained` of those that stay.
    `former` are the resources as they were before a preview's update.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    entries: dict[str, ResourceEntry] = field(default_factory=dict)
    extra: list[tuple[ResourceEntry, str]] = field(default_factory=list)
    leaving: dict[str, LeavingResource] = field(default_factory=dict)
    created_urns: set[str] = field(default_factory=set)
    retained: set[str] = field(default_factory=set)
    not_read: list[NotJudged] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    former: dict[str, ResourceEntry] = field(default_factory=dict)
    _providers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _of_clusters: dict[str, Resource] = field(default_factory=dict)
    name: str = ""
    outputs: Mapping[str, Any] = field(default_factory=dict)

    def add(self, entry: ResourceEntry) -> None:
        """Add a resource that the program declares; it replaces an earlier one with its URN.

        Raises:
            FileError: there are more than a stack can have.
        """
        self.name = self.name or _name(entry.urn)
        if entry.is_provider:
            self._providers[entry.urn] = entry.inputs
            if entry.type == _KUBERNETES_PROVIDER:
                self._of_clusters[entry.urn] = _as_resource(entry)
        elif entry.type == STACK:
            self.outputs = entry.outputs or self.outputs
        elif entry.type == STACK_REFERENCE or not entry.external:
            if len(self.entries) + len(self.extra) >= MAX_RESOURCES:
                raise FileError(TOO_MANY)
            self.entries[entry.urn] = entry

    def add_former(self, entry: ResourceEntry) -> None:
        """Add a resource in its state before the update changes or deletes it."""
        if not (entry.is_provider or entry.external or entry.type == STACK):
            self.former.setdefault(entry.urn, entry)

    def add_leaving(
        self, entry: ResourceEntry, *, replaced: bool = False, coexists: bool = False
    ) -> None:
        """Add a resource that is deleted, or that exists until it is replaced."""
        self.name = self.name or _name(entry.urn)
        if entry.is_provider or entry.external or not entry.provider:
            return
        leaving = LeavingResource(entry.urn, entry.type, replaced, coexists)
        self.leaving.setdefault(entry.urn, leaving)

    def add_retained(self, entry: ResourceEntry, option: str) -> None:
        """Add a resource that an option only removes from the state; it still exists and costs."""
        self.name = self.name or _name(entry.urn)
        if entry.is_provider or entry.external or not entry.provider or entry.urn in self.retained:
            return
        self.retained.add(entry.urn)
        self.extra.append((entry, f"kept by {option}"))
        self.notes.append(
            f"{entry.urn} leaves the state and is not deleted ({option}): it is billed "
            "until it is deleted by hand, and no later check sees it"
        )

    def stack(self, kind: Kind, secrets: Iterable[str], region: str | None) -> PulumiStack:
        """Return the stack, with all resources as rows.

        Args:
            kind: which file it is.
            secrets: texts that may not be shown.
            region: the region of resources without one in the file.

        Raises:
            FileError: parents or dependencies go round in a circle, or there is nothing to judge.
        """
        entries = self._all_entries()
        has_resources = any(entry.custom and not entry.external for entry in entries.values())
        if not (has_resources or self.leaving or self.not_read or self.outputs):
            raise _no_resources_error(kind)
        no_circle(entries)
        notes = [_NO_DEPENDENCIES] if kind == "stream" else []
        return PulumiStack(
            kind=kind,
            name=self.name,
            resources=tuple(self._resources(entries.values(), region)),
            former_resources=tuple(self._resources(self.former.values(), region)),
            leaving=tuple(self.leaving.values()),
            not_read=tuple(self.not_read),
            notes=(*notes, *self.notes),
            secrets=frozenset(secrets),
            outputs=self.outputs or ({} if kind == "state" else None),
            created_urns=frozenset(self.created_urns),
            withheld_inputs=frozenset(
                (entry.urn, key) for entry in entries.values() for key in entry.withheld
            ),
        )

    def _all_entries(self) -> dict[str, ResourceEntry]:
        """Return all entries; the extra ones get unique URNs."""
        entries = dict(self.entries)
        for entry, why in self.extra:
            number, suffix = 1, f" ({why})"
            while entry.urn + suffix in entries:
                number += 1
                suffix = f" ({why}, {number})"
            distinct_entry = replace(entry, urn=entry.urn + suffix, name=entry.name + suffix)
            entries[distinct_entry.urn] = distinct_entry
        return entries

    def _resources(
        self, entries: Collection[ResourceEntry], region: str | None
    ) -> Iterator[Resource]:
        inputs = {key: self._provider_inputs(key) for key in {entry.provider for entry in entries}}
        for entry in entries:
            settings = inputs[entry.provider]
            yield Resource(
                urn=entry.urn,
                type=entry.type,
                name=entry.name,
                inputs=entry.inputs,
                redacted_inputs=entry.redacted_inputs,
                outputs=entry.outputs,
                relations=entry.relations,
                parent=entry.parent,
                region=_region(entry, settings, region),
                zone=zone_of(entry.type, settings),
                account=account_of(entry.type, settings, entry.inputs, entry.outputs),
                credentials=self._credentials(entry, settings),
                custom=entry.custom,
                before=entry.before,
                depends_on=entry.depends_on,
                created=entry.created,
                created_in_update=entry.urn in self.created_urns
                and entry is self.entries.get(entry.urn),
                provider=self._of_clusters.get(entry.provider.rpartition("::")[0]),
            )

    def _credentials(self, entry: ResourceEntry, settings: Mapping[str, Any]) -> str:
        """Return the key of a resource's account; its provider where that is not shown."""
        urn = entry.provider.rpartition("::")[0]
        if urn and urn not in self._providers and not _is_default(urn):
            return urn
        return credentials_of(entry.type, urn, settings, entry.inputs, entry.outputs)

    def _provider_inputs(self, reference: str) -> Mapping[str, Any]:
        """Return the inputs of a provider; a default one that isn't listed has the config's."""
        urn = reference.rpartition("::")[0]
        if urn in self._providers:
            return self._providers[urn]
        package = urn.rpartition("::")[0].rpartition(":")[2]
        if package not in PACKAGES.values() or not _is_default(urn):
            return {}
        prefix = f"{package}:"
        return {
            key.removeprefix(prefix): value
            for key, value in self.config.items()
            if key.startswith(prefix)
        }


def _region(entry: ResourceEntry, settings: Mapping[str, Any], default: str | None) -> str | None:
    """Return a resource's region; `default` if none is stated and its cloud has that region."""
    region = region_of(entry.type, entry.inputs, entry.outputs, settings)
    cloud = cloud_of(entry.type)
    if region is None and default and cloud and default in provider_of(cloud).regions.all():
        return default
    return None if isinstance(region, Unknown) else region


def _as_resource(entry: ResourceEntry) -> Resource:
    return Resource(
        urn=entry.urn,
        type=entry.type,
        name=entry.name,
        inputs=entry.inputs,
        relations=entry.relations,
        depends_on=entry.depends_on,
    )


def _is_default(provider: str) -> bool:
    """Return whether the engine created a provider by default, for resources that name none."""
    return provider.rpartition("::")[2].startswith("default")


def _no_resources_error(kind: Kind) -> FileError:
    if kind == "state":
        return FileError(
            "the state has no resources, so there is nothing to check",
            fix="export the right stack: pulumi stack export --stack NAME > state.json",
        )
    return FileError(
        "the preview has no resources, so there is nothing to check: it failed, or its "
        "program declares nothing",
        fix=f"check pulumi's output and exit code; {CREATE_FILE_AGAIN}",
    )


def _name(urn: str) -> str:
    return f"{project_of(urn)}/{stack_of(urn)}"
