"""A group that no rule about security objects to, and one with a public address."""

from dataclasses import replace

from gpuinfra.model import Safety
from tests.rules.cases.judging import group

SAFE = Safety(
    metadata_v2=True,
    disks_encrypted=True,
    public_ip=False,
    open_login=False,
    administrator=False,
    long_lived_key=False,
    secrets=(),
)

FINE = group(safety=SAFE)
OPEN = group(safety=replace(SAFE, public_ip=True))
