"""The levels and settings of rules, and the findings that are accepted."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from gpuinfra.model import Trust
from gpuinfra.specs import shorthand
from gpuinfra.specs import values as v
from gpuinfra.specs.fields import JsonSchema
from gpuinfra.specs.forms import Form, ListRule, RequiredKeyForm, RequiredKeys


class WorkloadRule(Form):
    """A rule's level and its own settings for one workload, which the rule itself checks."""

    model_config = ConfigDict(extra="allow")

    level: v.Level | None = Field(default=None, description="mandatory, advisory or disabled.")

    @model_validator(mode="before")
    @classmethod
    def _expand_settings(cls, raw_value: Any) -> Any:
        return shorthand.settings(raw_value)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings besides the level, as written."""
        return dict(self.model_extra or {})

    @classmethod
    def _user_schema(cls, mapping: JsonSchema) -> JsonSchema:
        return shorthand.settings_schema(super()._user_schema(mapping))


class RuleSettings(WorkloadRule):
    """A rule's level and settings, with overrides per workload."""

    workloads: dict[v.Sentence, WorkloadRule] = Field(
        default={}, description="Another level or settings for workloads, by name or pattern."
    )

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings besides the level, as written, including those of single workloads."""
        workload_settings = {
            name: {**({"level": rule.level} if rule.level else {}), **rule.settings}
            for name, rule in self.workloads.items()
        }
        return {
            **super().settings,
            **({"workloads": workload_settings} if workload_settings else {}),
        }


class Waiver(Form):
    """A finding that is accepted until a day, for a reason."""

    rule: v.RuleId = Field(description="The rule's id, for example spot-share.")
    resource: v.Sentence = Field(description="The workload or resource that the waiver covers.")
    reason: v.Sentence = Field(description="Why the finding is accepted.")
    owner: v.Owner = Field(description="Who is responsible for it.")
    until: v.Day = Field(description="The last day of the waiver, for example 2026-12-31.")


Waivers = Annotated[
    tuple[Waiver, ...],
    ListRule("waivers: [{rule: …, resource: …, reason: …, owner: …, until: 2026-12-31}]"),
]


class TrustEntry(RequiredKeyForm):
    """The facts for which resources outside the stack can be trusted."""

    needs = RequiredKeys(keys=("private", "limited"), fix="for example private: true")

    input: v.Sentence = Field(
        description="The input that refers to them, for example vpcSecurityGroupIds."
    )
    value: v.Sentence | None = Field(
        default=None,
        description="Pattern of the trusted ids, or of the stack that they come from, for "
        "example sg-0a* or acme/network/*; any if omitted.",
    )
    private: v.Flag | None = Field(
        default=None,
        description="Whether subnets give no public address, and security groups, networks and "
        "firewalls allow no traffic from the internet.",
    )
    limited: v.Flag | None = Field(
        default=None,
        description="Whether roles and service accounts have no administrator permissions.",
    )
    why: v.Sentence = Field(description="Why they can be trusted.")

    @property
    def trust(self) -> Trust:
        """Return the entry as a model `Trust`."""
        return Trust(
            input=self.input,
            value=self.value,
            private=bool(self.private),
            limited=bool(self.limited),
            why=self.why,
        )


Trusted = Annotated[
    tuple[TrustEntry, ...],
    ListRule("trust: [{input: vpcSecurityGroupIds, private: true, why: …}]"),
]
