"""The index of Azure resources, by id, by name in a resource group, or by dependency."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Final

from gpuinfra.clouds.azure.observe import arm_ids
from gpuinfra.clouds.azure.observe.resource_types import (
    ASSIGNMENT,
    GALLERY_IMAGE,
    IMAGE,
    NAMES,
    PARENTS,
    RESOURCE_GROUP,
    SEGMENTS,
    canonical,
)
from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.index import ReferenceKeys, Targets
from gpuinfra.clouds.observing.values import as_list, at, text
from gpuinfra.model import UNKNOWN, Resource, Unknown
from gpuinfra.model.resource import is_of_account

_PEOPLE: Final = frozenset({"User", "Group", "ForeignGroup", "Device"})
"""Types of principals that no machine is."""
_IMAGE_NAMES: Final = {IMAGE: 1, GALLERY_IMAGE: 2}
"""The number of names in an id: both kinds are called images there, and one is in a gallery."""


_ENDING: Final = re.compile(r"[0-9a-f]{8}$")
"""The random ending of names that Pulumi makes here:
https://www.pulumi.com/docs/iac/concepts/resources/names/#autonaming"""


class Index(index.Index):
    """The resources seen so far.

    A name is unique only within its resource group, so two resources of one name are told apart
    by their groups; where the group of either is not known, the name stays ambiguous. An id also
    tells the subscription; where that of a resource is not known, it may be another one.
    """

    KEYS: ClassVar[ReferenceKeys] = ReferenceKeys(
        outputs=("id",), inputs=(), canonical=canonical, spelled=str.lower
    )

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._names_by_scope: dict[tuple[str, str], dict[str, None]] = {}
        self._principals: dict[str, str] = {}
        self._grants: _Grants | None = None
        self._subscriptions: dict[str, set[str]] = {}
        super().__init__(resources)

    def _call(self, resource: Resource, urn: str) -> None:
        super()._call(resource, urn)
        kind = canonical(resource.type)
        self._name(kind, resource.urn, urn, resource.urn)
        subscription = _own_subscription(resource)
        if subscription is not None and resource.account is None:
            self._subscriptions.setdefault(resource.credentials, set()).add(subscription)
        for name in self._known_names(resource, kind):
            resources_by_scope = self._names_by_scope.setdefault((kind, name.lower()), {})
            resources_by_scope.pop(resource.urn, None)
            resources_by_scope[urn] = None
        for path in (("principalId",), ("identity", "principalId"), ("objectId",)):
            principal = at(resource.outputs, *path)
            if isinstance(principal, str) and kind != ASSIGNMENT:
                self._principals[principal.lower()] = urn
        self._grants = None

    def targets(self, resource: Resource, prop: str, kind: str, value: Any = None) -> Targets:
        """Return the targets of `value` (default: the whole property) under the input `prop`."""
        value = resource.inputs.get(prop) if value is None else value
        if isinstance(value, Unknown) or value is None:
            return super().targets(resource, prop, kind, value)
        resolved_references = [
            self._resolve_reference(resource, kind, reference) for reference in as_list(value)
        ]
        targets = super().targets(resource, prop, kind, resolved_references)
        possible_targets = [
            self._by_urn[urn]
            for urn, reference in zip(resolved_references, as_list(value), strict=True)
            if self._is_unsure(resource, prop, reference, urn)
        ]
        if not possible_targets:
            return targets
        certain = tuple(target for target in targets.certain if target not in possible_targets)
        return replace(targets, certain=certain, complete=False, namesakes=tuple(possible_targets))

    def _is_unsure(self, resource: Resource, prop: str, reference: Any, urn: Any) -> bool:
        """Return whether a name or an id means a resource possibly in another subscription."""
        if urn == reference or not isinstance(urn, str) or urn in resource.relations.get(prop, ()):
            return False
        candidate, read = self._by_urn[urn], arm_ids.parse_arm_id(reference)
        if read is not None:
            return read.subscription is not None and self._subscription(candidate) is None
        is_known = (
            self._subscription(resource) is not None and self._subscription(candidate) is not None
        )
        return not is_known and is_of_account(resource, candidate) is UNKNOWN

    def _subscription(self, resource: Resource) -> str | None:
        """Return the subscription of a resource; None if no input states it.

        Its provider states it, or its id does, or the id of a resource of equal credentials.
        """
        if resource.account is not None:
            return resource.account.lower()
        subscriptions = self._subscriptions.get(resource.credentials, set())
        return _own_subscription(resource) or (
            next(iter(subscriptions)) if len(subscriptions) == 1 else None
        )

    def grants(self, principal: Resource) -> tuple[tuple[Resource, ...], bool]:
        """Return the role assignments of an identity or a machine, and whether they are all."""
        if self._grants is None:
            self._grants = _Grants(self)
        own_grants = tuple(self._grants.by_urn.get(principal.urn, ()))
        is_own_principal = principal.urn in self._principals.values()
        return own_grants, self._grants.complete and (
            is_own_principal or not self._grants.strangers
        )

    def group_of(self, resource: Resource) -> Resource | None:
        """Return the resource group that a resource is in, where this stack has it."""
        return self.targets(resource, "resourceGroupName", RESOURCE_GROUP).only

    def principal(self, guid: str) -> str | None:
        """Return the URN of the existing resource with an object id."""
        return self._principals.get(guid.lower())

    @staticmethod
    def _known_names(resource: Resource, kind: str) -> list[str]:
        names = [resource.inputs.get(NAMES.get(kind, "")), resource.outputs.get("name")]
        return [name for name in names if isinstance(name, str) and name]

    def _resolve_reference(self, resource: Resource, kind: str, reference: Any) -> Any:
        """Return the URN that a reference means, UNKNOWN among several, else the reference."""
        if not isinstance(reference, str) or (kind, reference.lower()) in self._by_value:
            return reference
        read = arm_ids.parse_arm_id(reference)
        names = (reference.lower(),) if read is None else read.names
        if not names or (read is not None and read.kind != SEGMENTS.get(kind)):
            return reference
        if read is not None and len(names) != _IMAGE_NAMES.get(kind, len(names)):
            return reference
        account = self._subscription(resource) if read is None else read.subscription
        holder = (
            self._resource_group_key(resource) if read is None else self._spelled_group(read.group)
        )
        urns = [
            urn
            for urn in self._names_by_scope.get((kind, names[-1]), ())
            if kind == RESOURCE_GROUP
            or self._matches_reference(self._by_urn[urn], kind, holder, account, names)
        ]
        if not urns and read is not None and holder is not None:
            urns = self._replaced_targets(kind, holder, account, names)
        if not urns:
            return reference
        return urns[0] if len(urns) == 1 else UNKNOWN

    def _replaced_targets(
        self, kind: str, holder: str, account: str | None, names: tuple[str, ...]
    ) -> list[str]:
        """Return the resources of a group whose names have another random ending than a reference.

        A policy is shown a replaced resource under the name that it had; Pulumi draws the new
        ending afterwards, and what refers to the resource has that.
        https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/step_generator.go
        """
        ending = _ENDING.search(names[-1])
        if ending is None:
            return []
        other_name = re.compile(f"{re.escape(names[-1][: ending.start()])}{_ENDING.pattern}")
        return [
            each.urn
            for each in self.of_kind(kind)
            if any(other_name.fullmatch(name.lower()) for name in self._known_names(each, kind))
            and self._resource_group_key(each) == holder
            and self._matches_reference(each, kind, holder, account, names)
        ]

    def _matches_reference(
        self,
        resource: Resource,
        kind: str,
        holder: str | None,
        account: str | None,
        names: tuple[str, ...],
    ) -> bool:
        group_key = self._resource_group_key(resource)
        if holder is not None and group_key is not None and holder != group_key:
            return False
        subscription = self._subscription(resource)
        if None not in {account, subscription} and account != subscription:
            return False
        parent = resource.inputs.get(PARENTS.get(kind, ""))
        parent_names = names[:-1]
        return not parent_names or not isinstance(parent, str) or parent.lower() in parent_names

    def _resource_group_key(self, resource: Resource) -> str | None:
        """Return the key of a resource's group; None where it is not known."""
        group_name = resource.inputs.get("resourceGroupName")
        if isinstance(group_name, str):
            return self._spelled_group(group_name)
        for source in self.related_resources(resource, "resourceGroupName"):
            if canonical(source.type) == RESOURCE_GROUP:
                return source.urn
        return None

    def _spelled_group(self, name: str | None) -> str | None:
        if name is None:
            return None
        groups_by_spelling = self._names_by_scope.get((RESOURCE_GROUP, name.lower()), {})
        return next(iter(groups_by_spelling), name.lower())


def _own_subscription(resource: Resource) -> str | None:
    """Return the subscription in a resource's id; None for an id made of a scope."""
    resource_id = resource.outputs.get("id")
    read = arm_ids.parse_arm_id(resource_id) if isinstance(resource_id, str) else None
    is_in_group = (
        canonical(resource.type) == RESOURCE_GROUP or "resourceGroupName" in resource.inputs
    )
    return read.subscription if read is not None and is_in_group else None


class _Grants:
    """The role assignments, by their holders.

    Attributes:
        by_urn: the assignments by the URN of who holds them.
        complete: whether every assignment's holder is known, or known to be elsewhere.
        strangers: whether some holder may be an identity whose object id is not known here.
    """

    def __init__(self, index: Index) -> None:
        self.by_urn: dict[str, list[Resource]] = {}
        self.complete = True
        self.strangers = False
        for grant in index.of_kind(ASSIGNMENT):
            self._add(grant, index)

    def _add(self, grant: Resource, index: Index) -> None:
        """Add a grant; an unknown object id is that of the resource that it comes from."""
        principal_id = grant.inputs.get("principalId")
        urn = index.principal(principal_id) if isinstance(principal_id, str) else None
        sources = (
            [urn]
            if urn
            else [resource.urn for resource in index.related_resources(grant, "principalId")]
        )
        for source in sources:
            self.by_urn.setdefault(source, []).append(grant)
        if isinstance(principal_id, str):
            is_machine_principal = text(grant.inputs.get("principalType")) not in _PEOPLE
            self.strangers = self.strangers or (not sources and is_machine_principal)
        else:
            self.complete = self.complete and len(sources) == 1
