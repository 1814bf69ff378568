"""The children of a component on Google Cloud: in its region, with its labels, short enough."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import pulumi
import pulumi_gcp as gcp

from gpuinfra.clouds.building import children
from gpuinfra.clouds.building.children import Kinds
from gpuinfra.clouds.building.customize import Marks
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.gcp.build import labels
from gpuinfra.clouds.gcp.build.names import ACCOUNT, LONGEST
from gpuinfra.clouds.order import Given, Order
from gpuinfra.errors import InputError


class Children(children.Children):
    """The children of one component; each says its region, and takes the labels that it can.

    Raises:
        InputError: as for any component; also the caller's tags are no labels.
    """

    MARKS: ClassVar[Marks] = Marks(
        ours=labels.OURS, joined={"labels": "key", "user_labels": "key"}, word="label"
    )
    LIMITS: ClassVar[Mapping[str, int]] = {"account": ACCOUNT}

    def __init__(self, order: Order, given: Given, kinds: Kinds) -> None:
        super().__init__(order, given, kinds)
        problems = [*labels.problems(order.name, order.tags)]
        if problems:
            raise InputError(problems)

    @cached_property
    def project(self) -> pulumi.Output[str]:
        """The project of the component's provider.

        The look-up also answers with a token, which makes a secret of all that it says.
        """
        found = gcp.organizations.get_client_config_output(opts=self.invoke())
        return pulumi.Output.unsecret(found.project).apply(_known)

    def mark(self, value: str) -> str:
        """A value of ours as a label."""
        return labels.fitting(value)

    def name(self, child: str) -> str:
        """The logical name of a child; every physical name is limited here."""
        return names.logical(self.order.name, child, self.LIMITS.get(child, LONGEST))

    def defaults(self, child: str, accepted: frozenset[str]) -> Mapping[str, Any]:  # noqa: ARG002
        """The region, and the labels; where `labels` are settings, the user's labels."""
        marks = "user_labels" if "user_labels" in accepted else "labels"
        values = {"region": self.order.region, marks: self.tags}
        return {key: value for key, value in values.items() if key in accepted}


def _known(project: str | None) -> str:
    if project:
        return project
    raise pulumi.RunError(
        "no project of Google Cloud is set; allowed: the project's id; "
        "pulumi config set gcp:project my-project"
    )
