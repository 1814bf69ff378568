"""The guardrails of a stack on AWS, as declared."""

from collections.abc import Mapping

from gpuinfra.clouds.build_spec import GuardrailOutputs
from gpuinfra.graph import Resource
from gpuinfra.records import record


@record
class RegionalGuardrails:
    """The topics in one region: one for notices, one for requests to stop machines."""

    notices: Resource | None = None
    stop: Resource | None = None


@record
class AwsGuardrails(GuardrailOutputs):
    """The guardrails of a stack on AWS; `sites` are by region, each with machines."""

    sites: Mapping[str, RegionalGuardrails]
    key: Resource | None = None
    deploy_role: Resource | None = None
