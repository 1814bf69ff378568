"""No password or key is in a start-up script or in metadata."""

from typing import Final

from gpuinfra.rules.faults import judge_faults
from gpuinfra.rules.rule import Rule, Words, each_group

WORDS: Final = Words(
    good="no password or key in its scripts", unknown="its start-up script is unknown"
)


RULE = Rule(
    id="secret-in-script",
    family="security",
    title="Start-up scripts contain no password or key",
    why="Scripts and metadata are readable by everyone who may list machines, and by every "
    "process on the machine.",
    fix="remove it from the script, rotate it, and let the machine's role read it from a "
    "secret store",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    check=lambda judged, _: each_group(
        judged, lambda group: judge_faults(group.subject, group.safety.secrets, WORDS)
    ),
    alone=True,
    texts=(
        *("userData", "userDataBase64", "metadataStartupScript", "metadata"),
        *("osProfile", "virtualMachineProfile"),
    ),
)
