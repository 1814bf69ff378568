"""Launch template settings are valid."""

from gpuinfra.rules.faults import of_faults
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="launch-settings",
    family="hygiene",
    title="Launch template settings are valid",
    why="The cloud refuses the launch, or ignores the setting, when two settings conflict "
    "or one has the wrong form.",
    fix="change the setting as the message says",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html",
    check=of_faults(
        "launch-settings",
        good="launch settings are valid",
        unknown="its launch settings are not known yet",
    ),
    alone=True,
)
