"""A resource of any Pulumi program."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Final

from gpuinfra.model.unknown import UNKNOWN, Known
from gpuinfra.records import record

STACK_REFERENCE: Final = "pulumi:pulumi:StackReference"
"""The type of a reference to another stack, whose outputs a program reads."""


@record
class Resource:
    """A resource of any Pulumi program, as a preview, an update, a mock or a state shows it.

    `inputs` are in the provider's own camelCase; unknown values are `UNKNOWN`, secrets are
    unwrapped. `outputs` has what is known after creation (at least `id`), empty before.
    `relations` maps a top-level input to the URNs its value comes from (property dependencies),
    and `depends_on` has those of all that it waits for, where that is shown; `region` is the
    provider's or the resource's own, None when neither says; `zone` is the provider's, for zonal
    resources that name none; `account` is the account, project or subscription, as text that is
    only compared. `credentials` stands for it where it is None: resources of equal credentials are
    of one account. `custom` tells whether a provider makes it; a component is none, which only
    groups others. `before` has the inputs to which `outputs` belong, where an update changes them;
    None where none is changed. `created_in_update` says that the update at work makes it, or has
    made it and it has outputs by now; what shows no update never says so. `created` is when an
    earlier update made it, as ISO 8601; empty where that is not shown. `provider` is the
    provider of what is in a cluster of Kubernetes, with what its settings come from, where it is
    shown. `redacted_inputs` are the inputs that hold what is marked as a secret, with `UNKNOWN`
    for it.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any] = field(default_factory=dict)
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parent: str | None = None
    region: str | None = None
    zone: str | None = None
    account: str | None = None
    credentials: str = ""
    custom: bool = True
    before: Mapping[str, Any] | None = None
    depends_on: tuple[str, ...] = ()
    created_in_update: bool = False
    created: str = ""
    provider: "Resource | None" = None
    redacted_inputs: Mapping[str, Any] = field(default_factory=dict)

    def updated_from(self, existing_resource: "Resource") -> "Resource":
        """Return this resource as an update leaves it, with the outputs of the existing one."""
        inputs_before = (
            None if self.inputs == existing_resource.inputs else existing_resource.inputs
        )
        return replace(self, outputs=existing_resource.outputs, before=inputs_before)


def is_of_account(resource: Resource, other: Resource) -> Known:
    """Return whether two resources are in one account, project or subscription.

    Settings of providers that are written differently prove nothing: both may mean one account.
    """
    if resource.account is not None and other.account is not None:
        return resource.account == other.account
    if resource.account is None and other.account is None:
        return resource.credentials == other.credentials or UNKNOWN
    return UNKNOWN
