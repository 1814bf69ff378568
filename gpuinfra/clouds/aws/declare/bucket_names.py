"""The form of the names of buckets that machines mount."""

import re
from typing import Final

from gpuinfra.clouds.declaring.buckets import NameForm

BUCKETS: Final = NameForm(
    pattern=re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"),
    cloud="S3",
    allowed="the bare name, 3 to 63 of a-z, 0-9, dots and hyphens; no ARN, no s3:// address",
)
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"""
