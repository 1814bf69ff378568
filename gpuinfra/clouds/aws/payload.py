"""The user data for EC2: the script as it is, compressed, or a few lines that fetch it."""

import gzip
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Final

from gpuinfra.clouds.startup import assignments, part_of

MAX_USER_DATA: Final = 16 * 1024
"""Bytes of user data that EC2 takes, before base64:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html"""

SPARE: Final = 256
"""Bytes that a script before its names are known leaves: theirs may compress less well, and one
compressor less well than another."""

_STARTUP_FOLDER: Final = Path(__file__).parent / "startup"


@lru_cache(maxsize=32)  # a check asks for the same scripts again, a search for fixes each time
def pack(script: str) -> bytes:
    """Return the script's bytes, compressed for cloud-init if larger than EC2's limit.

    A script that fits stays plain: it can be read in the console, and it does not change with the
    compressor on the machine that runs the update, which would replace the machines of a pool.
    https://cloudinit.readthedocs.io/en/latest/explanation/format.html#gzip-compressed-content
    """
    script_bytes = script.encode()
    return (
        script_bytes
        if len(script_bytes) <= MAX_USER_DATA
        else gzip.compress(script_bytes, mtime=0)
    )


def is_accepted_by_ec2(script: str, spare: int = 0) -> bool:
    """Return whether EC2 accepts the script in some form, with this many bytes to spare."""
    return len(pack(script)) <= MAX_USER_DATA - spare


def object_key(workload: str, script: str) -> str:
    """Return the key of a script in a bucket.

    Its name is its content's, so that machines of an older template still find theirs while an
    update replaces it.
    """
    return f"{object_folder(workload)}start-{_digest(script)[:16]}.sh"


def object_folder(workload: str) -> str:
    """Return the folder of a bucket that holds a workload's scripts and nothing else."""
    return f"gpuinfra/{workload}/"


def fetching(region: str, bucket: str, workload: str, script: str) -> str:
    """Return the user data that fetches a script from a bucket, verifies and runs it."""
    facts = {
        "REGION": region,
        "ADDRESS": f"s3://{bucket}/{object_key(workload, script)}",
        "SHA256": _digest(script),
    }
    begin, script_rest = part_of(_STARTUP_FOLDER, "fetch.sh").split("\n\n", 1)
    return f"{begin}\n{assignments(facts)}\n{script_rest}"


def _digest(script: str) -> str:
    return hashlib.sha256(script.encode()).hexdigest()
