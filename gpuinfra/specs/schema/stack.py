"""A whole stack file."""

from typing import Final

from pydantic import Field

from gpuinfra.specs import other_tool_keys, unsupported_words
from gpuinfra.specs import values as v
from gpuinfra.specs.energy import Energy
from gpuinfra.specs.forms import RequiredKeyForm, RequiredKeys
from gpuinfra.specs.networks import NetworkSpec
from gpuinfra.specs.operations import DeployRole, Monitoring
from gpuinfra.specs.schema.budget import Budget, Prices
from gpuinfra.specs.schema.capacity import Where
from gpuinfra.specs.schema.rules import RuleSettings, Waivers
from gpuinfra.specs.schema.usage import Usage
from gpuinfra.specs.schema.workloads import Inference, Training
from gpuinfra.specs.storage import Bucket

SECTIONS: Final = ("training", "inference", "buckets")
"""The keys of which a stack file has at least one; its entries have names of the user's own."""


class Stack(RequiredKeyForm):
    """A whole stack file."""

    unsupported_keys = unsupported_words.STACK
    key_hints = other_tool_keys.STACK
    key_synonyms = other_tool_keys.STACK_MEANT
    file_title = "the stack"
    example = "`gpuinfra init my-stack --what everything` writes a commented example"
    needs = RequiredKeys(
        keys=SECTIONS,
        lacks="neither training nor inference nor buckets",
        fix="add one of them, for example training: {tune: {gpu: L4:1, duration: 24h}}",
    )

    filled_in_fields = frozenset({"version", "name", "owner", "where"})

    version: v.Version = Field(description="The version of this file format: 1, also by default.")
    name: v.StackName = Field(
        description="The stack's name, part of every resource's name; by default the folder's."
    )
    owner: v.Owner = Field(
        description="The owner, a team or a person; set as a tag; default: the git user."
    )
    budget: Budget | None = Field(default=None, description="The maximum cost of the stack.")
    prices: Prices = Field(
        default_factory=Prices,
        description="How outdated, unknown and foreign-currency prices are treated.",
    )
    where: Where = Field(
        description="Which cloud and which regions; by default those that its tools use."
    )
    tags: dict[v.TagKey, v.TagValue] = Field(
        default={},
        description="Tags on every resource, for example cost-center, with gpuinfra's own.",
    )
    network: NetworkSpec | None = Field(
        default=None, description="An existing network, or settings for a created one."
    )
    monitoring: Monitoring | None = Field(
        default=None, description="Metrics, alarms and their recipients."
    )
    deploy_role: DeployRole | None = Field(
        default=None, description="A role for continuous integration, without long-lived keys."
    )
    target: v.RunsIn | None = Field(
        default=None, description="sandbox or cloud; the default of --target."
    )
    training: dict[v.Name, Training] = Field(default={}, description="Training runs by name.")
    inference: dict[v.Name, Inference] = Field(default={}, description="Inference pools by name.")
    buckets: dict[v.Name, Bucket] = Field(default={}, description="Data buckets by name.")
    usage: Usage = Field(
        default_factory=Usage, description="Monthly usage of the stack, for the quote."
    )
    rules: dict[v.RuleId, RuleSettings] = Field(default={}, description="Settings of rules by id.")
    waivers: Waivers = Field(default=(), description="Accepted findings.")
    energy: Energy = Field(default_factory=Energy, description="Settings for the energy estimate.")

    @property
    def workloads(self) -> dict[str, Training | Inference]:
        """The workloads by name: training runs, then pools, each in the order of the file."""
        return {**self.training, **self.inference}

    @property
    def shares_network(self) -> bool:
        """Whether the workloads of a region share one network, except those with their own."""
        return self.network is not None and self.network.shared

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects of rules: the stack, then each workload and bucket by its path."""
        return (
            self.name,
            *(f"{section}.{name}" for section in SECTIONS for name in getattr(self, section)),
        )
