"""Declares the children of a component alike, with their names, places and tags."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from gpuinfra.clouds.build_spec import BucketOutputs, BuildSpec
from gpuinfra.clouds.declaring import names
from gpuinfra.clouds.declaring.tag_format import TagFormat
from gpuinfra.clouds.tables import Tables
from gpuinfra.errors import InputError, Problem
from gpuinfra.graph import NO_OPTIONS, Options, Resource, ResourceGraph

NODE: Final = "gpuinfra:index:TrainingNode"
CLUSTER: Final = "gpuinfra:index:TrainingCluster"
POOL: Final = "gpuinfra:index:InferencePool"
BUCKET: Final = "gpuinfra:index:DataBucket"
ROOT: Final = "gpuinfra:index:Stack"
"""The types of the components."""


class Children(ABC):
    """The children of one component; each cloud defines its places and its tags or labels.

    Args:
        spec: the component's name, region and tags.
        key: the component's key in the graph, for example training.trainer.
        graph: where the component is declared already; None declares it in a new one.
        kind: the component's type.
        prefix: of the children's names in the graph, where several make children of one component.

    Raises:
        InputError: the caller's tags replace ours.
    """

    MARKS: ClassVar[TagFormat]
    """How the cloud's resources are marked."""
    LIMITS: ClassVar[Mapping[str, int]] = {}
    """Children whose physical name the cloud keeps short, and its most characters."""
    TABLES: ClassVar[Tables]
    """The cloud's tables; `declared` has which place and marks each type takes."""

    def __init__(
        self,
        spec: BuildSpec,
        key: str,
        kind: str = "",
        graph: ResourceGraph | None = None,
        prefix: str = "",
    ) -> None:
        self.spec = spec
        self.key = key
        self.prefix = prefix
        self.graph = ResourceGraph() if graph is None else graph
        if key not in self.graph.resources:
            self.graph.add(Resource(key, kind, spec.name, {}))
        problems = [
            *self.MARKS.reserved_tag_problems((spec.name, "tags"), spec.tags),
            *self.tag_problems(),
        ]
        if problems:
            raise InputError(problems)

    @property
    def tags(self) -> dict[str, Any]:
        """The tags or labels of every child that takes them: gpuinfra's and the caller's own."""
        own_tags = {
            "stack": self.spec.stack,
            "owner": self.spec.owner,
            "workload": self.spec.name,
        }
        return {
            **{
                f"{self.MARKS.own_prefix}{key}": self.mark(value)
                for key, value in own_tags.items()
            },
            **self.spec.tags,
        }

    def mark(self, value: str) -> str:
        """Return a value of gpuinfra in the cloud's form of a tag or label."""
        return value

    def tag_problems(self) -> Iterable[Problem]:
        """Return the problems of the caller's tags that the cloud does not accept."""
        return ()

    @abstractmethod
    def defaults(self, child: str) -> Mapping[str, Any]:
        """Return the place and the tags of a child, by input."""

    def name(self, child: str) -> str:
        """Return the logical name of a child; golden files freeze it."""
        return names.logical(self.spec.name, child, self.LIMITS.get(child))

    def make(
        self, token: str, child: str, options: Options = NO_OPTIONS, /, **inputs: Any
    ) -> Resource:
        """Declare a child, with its place and tags where its type takes them.

        Args:
            token: its type, for example aws:s3/bucket:Bucket.
            child: its name within the component.
            options: for the engine.
            inputs: in the provider's own spelling; None leaves one out.
        """
        accepted_inputs = self.TABLES.table("declared")["types"][token]
        defaults = {
            key: value for key, value in self.defaults(child).items() if key in accepted_inputs
        }
        all_inputs = {**defaults, **inputs}
        stated_inputs = {key: value for key, value in all_inputs.items() if value is not None}
        return self.add(token, child, self.name(child), stated_inputs, options)

    def add(
        self,
        token: str,
        child: str,
        name: str,
        inputs: Mapping[str, Any],
        options: Options = NO_OPTIONS,
    ) -> Resource:
        """Declare a child under its own logical name, with only the given inputs."""
        return self.graph.add(
            Resource(f"{self.key}/{self.prefix}{child}", token, name, inputs, self.key, options)
        )


def bucket_outputs(graph: ResourceGraph, key: str) -> BucketOutputs:
    """Return the outputs of a bucket, where no argument of the caller changes them."""
    outputs: BucketOutputs = graph.outputs[key]
    return outputs
