"""What looks after a stack on AWS, as it is declared."""

from collections.abc import Mapping

from gpuinfra.clouds.build_spec import GuardrailOutputs
from gpuinfra.graph import Resource
from gpuinfra.records import record


@record
class RegionalGuardrails:
    """What stands in one region: where notices go, and what asks for machines to go down."""

    notices: Resource | None = None
    stop: Resource | None = None


@record
class AwsGuardrails(GuardrailOutputs):
    """What looks after a stack on AWS; `sites` are by region, each with machines."""

    sites: Mapping[str, RegionalGuardrails]
    key: Resource | None = None
    deploy_role: Resource | None = None
