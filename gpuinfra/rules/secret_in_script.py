"""No password or key in a start-up script or in metadata."""

from typing import Final

from gpuinfra.rules.rule import Rule, Words, each_group, faulty

WORDS: Final = Words(
    good="no password and no key in its scripts",
    bad="",
    unknown="its start-up script is not known",
)


RULE = Rule(
    id="secret-in-script",
    family="security",
    title="No password or key in a start-up script",
    why="Scripts and metadata are read by whoever may list machines, and by every process there.",
    fix="take it out, change it, and let the machine read it with its role from a secret store",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    check=lambda judged, _: each_group(
        judged, lambda one: faulty(one.subject, one.safety.secrets, WORDS)
    ),
    alone=True,
    texts=(
        *("userData", "userDataBase64", "metadataStartupScript", "metadata"),
        *("osProfile", "virtualMachineProfile"),
    ),
)
