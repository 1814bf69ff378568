"""The targets of references in AWS inputs: their look-up, and AWS's error for a missing one.

Codes and words: the "Error codes for the Amazon EC2 API" page (docs.aws.amazon.com/AWSEC2/latest/
APIReference/errors-overview.html) and the API reference of each other service.
"""

from dataclasses import dataclass
from typing import Any

from gpuinfra.sandbox.plugin.facts import records


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTarget:
    """A kind of reference target.

    Attributes:
        made_by: the Pulumi type that makes it; empty for what AWS itself has.
        or_by: another type that makes one; empty: there is none.
        key: the output that holds the reference, `id` for the resource's id.
        service, operation, parameter: the call that finds it in moto; no operation: ledger only.
        many: the parameter takes a list.
        code, message: the refusal, with {value}.
    """

    made_by: str = ""
    or_by: str = ""
    key: str = "id"
    service: str = "ec2"
    operation: str = ""
    parameter: str = ""
    many: bool = True
    code: str
    message: str

    def request(self, value: str) -> dict[str, Any]:
        """Return the arguments of the call that finds a target."""
        return {self.parameter: [value] if self.many else value}


KINDS = records("aws", "kinds", ReferenceTarget)
