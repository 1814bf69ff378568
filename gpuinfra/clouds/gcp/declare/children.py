"""The children of a component on Google Cloud: its region and labels, with short names."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from gpuinfra.clouds.declaring import children, names
from gpuinfra.clouds.declaring.tag_format import TagFormat
from gpuinfra.clouds.gcp.declare import labels
from gpuinfra.clouds.gcp.declare.names import ACCOUNT, MAX_NAME_LENGTH
from gpuinfra.clouds.gcp.tables import TABLES
from gpuinfra.clouds.tables import Tables
from gpuinfra.errors import InputError, Problem
from gpuinfra.graph import Lookup, compute


class Children(children.Children):
    """The children of one component, each with its region and the labels that it supports.

    Raises:
        InputError: as for any component; also the caller's tags are no labels.
    """

    MARKS: ClassVar[TagFormat] = TagFormat(
        own_prefix=labels.PREFIX, tag_inputs={"labels": "key", "userLabels": "key"}, word="label"
    )
    LIMITS: ClassVar[Mapping[str, int]] = {"account": ACCOUNT}
    TABLES: ClassVar[Tables] = TABLES

    @property
    def project(self) -> Any:
        """The project of the component's provider.

        The look-up also answers with a token, which makes a secret of all that it says.
        """
        return compute(
            _required_project,
            Lookup(
                "gcp:organizations/getClientConfig:getClientConfig", {}, "project", public=True
            ),
        )

    def tag_problems(self) -> Iterable[Problem]:
        """Yield the problems of the caller's tags that are not valid labels."""
        return labels.problems(self.spec.name, self.spec.tags)

    def mark(self, value: str) -> str:
        """Return a value of gpuinfra as a label."""
        return labels.as_label_value(value)

    def name(self, child: str) -> str:
        """Return the logical name of a child, within the limit of its physical name."""
        return names.logical(self.spec.name, child, self.LIMITS.get(child, MAX_NAME_LENGTH))

    def defaults(self, child: str) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the default inputs: the region, and the labels under both spellings."""
        return {"region": self.spec.region, "labels": self.tags, "userLabels": self.tags}


def _required_project(project: str | None) -> str:
    if project:
        return project
    raise InputError.of(
        "no Google Cloud project is set",
        allowed="the project's id",
        fix="pulumi config set gcp:project my-project",
    )
