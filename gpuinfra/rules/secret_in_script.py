"""No password or key is in a start-up script or in metadata."""

from collections.abc import Iterator, Mapping
from typing import Final

from gpuinfra.model import Group, Unknown
from gpuinfra.rules.fault_findings import judge_faults
from gpuinfra.rules.rule import FactMessages, Finding, Rule, each_group, row_check

WORDS: Final = FactMessages(
    good="no password or key in its scripts", unknown="its start-up script is unknown"
)

_SCRIPT: Final = (
    "remove it from the script, rotate it, and let the machine's role read it from a secret store"
)
_FIXES: Final[Mapping[str, str]] = {
    "osProfile.adminPassword": "log in with an SSH key and "
    "linuxConfiguration.disablePasswordAuthentication: true, or read the password from a secret "
    "of Pulumi's configuration (pulumi config set --secret), and change it",
    "the settings of an extension": "move it from settings to the protectedSettings of the "
    "extension, and rotate it",
    "metadata ": "remove it from the metadata, rotate it, and let the machine's role read it from "
    "a secret store",
}
"""The fix of a secret that is in no script, by where it is."""


def _group(group: Group) -> Finding:
    secrets = group.safety.secrets
    known_secrets = () if isinstance(secrets, Unknown) else secrets
    fix = "; ".join(dict.fromkeys(text for secret in known_secrets for text in _fixes_for(secret)))
    return judge_faults(group.subject, secrets, WORDS, fix=fix)


def _fixes_for(secret: str) -> Iterator[str]:
    secret_place = next((secret_place for secret_place in _FIXES if secret_place in secret), None)
    is_in_script = "script" in secret
    yield _SCRIPT if secret_place is None or is_in_script else _FIXES[secret_place]


RULE = Rule(
    id="secret-in-script",
    family="security",
    title="Start-up scripts contain no password or key",
    why="Scripts and metadata are readable by everyone who may list machines, and by every "
    "process on the machine.",
    fix=_SCRIPT,
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    check=row_check(each_group, _group),
    alone=True,
    text_inputs=(
        *("userData", "userDataBase64", "metadataStartupScript", "metadata"),
        *("osProfile", "virtualMachineProfile"),
    ),
)
