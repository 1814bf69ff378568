"""No password or key is in plain text in an output, environment, parameter or script."""

from typing import Final

from gpuinfra.rules.fault_findings import judge_faults
from gpuinfra.rules.rule import FactMessages, Rule, each_row

WORDS: Final = FactMessages(good="no password or key found", unknown="its values are unknown")

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
        lambda place: judge_faults(place.subject, place.secrets, WORDS),
    ),
    alone=True,
    reads_own_texts=True,
    text_inputs=(
        *("containerDefinitions", "containerProperties", "environment", "environmentVariables"),
        *("serviceConfig", "buildConfig", "template", "containers", "siteConfig"),
    ),
)
