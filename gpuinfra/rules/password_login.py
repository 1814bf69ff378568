"""A machine accepts no password for login."""

from typing import Final

from gpuinfra.rules.fault_findings import faults_check
from gpuinfra.rules.rule import FactMessages, Rule

WORDS: Final = FactMessages(
    good="login takes no password",
    unknown="it is unknown whether login takes a password: no setting says so, or it is not "
    "known yet",
)

RULE = Rule(
    id="password-login",
    family="security",
    title="Machines accept no password for login",
    why="A password can be guessed, reused and shared; a key can't be guessed.",
    fix="set osProfile.linuxConfiguration.disablePasswordAuthentication: true, with a key in "
    "ssh.publicKeys, and remove adminPassword",
    source="https://learn.microsoft.com/azure/virtual-machines/linux/create-ssh-keys-detailed",
    check=faults_check("password-login", WORDS),
    level="advisory",
    alone=True,
)
