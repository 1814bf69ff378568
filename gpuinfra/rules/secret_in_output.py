"""No password or key is in plain text in an output, environment, parameter or script."""

from dataclasses import replace
from typing import Final

from gpuinfra.model import Exposure
from gpuinfra.rules.fault_findings import judge_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, each_row

WORDS: Final = FactMessages(good="no password or key found", unknown="its values are unknown")


def _judge(place: Exposure) -> Finding:
    names = ", ".join(place.unknown_variables)
    unknown = f"the values of {names} are marked as secrets, or not known yet"
    messages = replace(WORDS, unknown=unknown) if names else WORDS
    return judge_faults(place.subject, place.secrets, messages)


RULE = Rule(
    id="secret-in-output",
    family="security",
    title="Outputs, environments and parameters contain no plain password or key",
    why="Plain outputs are readable in the state, in logs and in other stacks; "
    "environments, parameters and scripts in consoles.",
    fix="mark the output with pulumi.Output.secret, give functions and containers a reference "
    "to a secret store, and write parameters as SecureString or protected ones",
    source="https://www.pulumi.com/docs/iac/concepts/secrets/",
    check=lambda judged, _: each_row(
        judged,
        judged.plan.exposures,
        "no environment variables; this source does not show stack outputs",
        _judge,
    ),
    alone=True,
    reads_own_texts=True,
    text_inputs=(
        *("containerDefinitions", "containerProperties", "environment", "environmentVariables"),
        *("serviceConfig", "buildConfig", "template", "containers", "siteConfig"),
    ),
)
