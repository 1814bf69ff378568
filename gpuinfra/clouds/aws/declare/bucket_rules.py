"""The lifecycle rules of a bucket."""

from datetime import timedelta
from typing import Any, Final

from gpuinfra.clouds.declaring.names import digest
from gpuinfra.specs.storage import Bucket

UNFINISHED_DAYS: Final = 7
"""Days until the parts of an upload that never ended are removed; they are billed and unseen."""

LOG_DAYS: Final = 90
"""Days that access logs are kept: a quarter, for late investigations."""

_EVERYTHING: Final = {"prefix": ""}


def lifecycle(bucket: Bucket) -> list[dict[str, Any]]:
    """Return the rules for unfinished uploads, old versions, cheaper storage and expiration."""
    rules = [_unfinished_upload_rule()]
    if bucket.versioned:
        rules.append(
            _rule(
                "old-versions",
                noncurrentVersionExpiration={"noncurrentDays": days(bucket.keep_noncurrent)},
                expiration={"expiredObjectDeleteMarker": True},
            )
        )
    if bucket.tiering is not None:
        transition = {"days": days(bucket.tiering), "storageClass": "INTELLIGENT_TIERING"}
        rules.append(_rule("cheaper-by-age", transitions=[transition]))
    rules += [
        _rule(
            f"expire-{digest([expiry.prefix])}",
            {"prefix": expiry.prefix},
            expiration={"days": days(expiry.after)},
        )
        for expiry in bucket.expire
    ]
    return rules


def log_bucket_rules() -> list[dict[str, Any]]:
    """Return the lifecycle rules of a bucket of access logs."""
    return [_unfinished_upload_rule(), _rule("old-logs", expiration={"days": LOG_DAYS})]


def _unfinished_upload_rule() -> dict[str, Any]:
    return _rule(
        "unfinished-uploads",
        abortIncompleteMultipartUpload={"daysAfterInitiation": UNFINISHED_DAYS},
    )


def _rule(name: str, rule_filter: dict[str, str] | None = None, **action: Any) -> dict[str, Any]:
    return {"id": name, "status": "Enabled", "filter": rule_filter or _EVERYTHING, **action}


def days(age: timedelta) -> int:
    """Return whole days, as S3 counts them, rounded up and at least 1."""
    return max(1, -(-age // timedelta(days=1)))
