"""The check that a bucket's policies deny all requests without TLS."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpuinfra.clouds.aws.observe import resource_types
from gpuinfra.clouds.aws.observe.index import Index
from gpuinfra.clouds.aws.observe.rights.identity import statements_of
from gpuinfra.clouds.observing.name_patterns import matches_pattern
from gpuinfra.clouds.observing.values import all_of, amount, any_of, as_list, at, equals
from gpuinfra.model import UNKNOWN, Known, Resource, Unknown

_REQUIRED_ARN_SUFFIXES: Final = ("", "/\N{REPLACEMENT CHARACTER}")
"""What a policy has to cover, after a bucket's name: the bucket, and an object of any key.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-arn-format.html
"""

_S3_ARN: Final = re.compile(r"arn:[^:]*:s3:::")
_EVERYTHING: Final = frozenset({"s3:*", "*"})
_BOOLEAN: Final = frozenset({"Bool", "BoolIfExists"})
_LESS_THAN_OPERATOR: Final = "NumericLessThanIfExists"
"""What denies old versions of TLS and requests without any: a plain request has no version, and
without …IfExists a test of what a request does not have is not met:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html"""
_MIN_TLS: Final = Decimal("1.2")
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies-minimum-tls.html"""


def tls_only(bucket: Resource, index: Index) -> Known:
    """Return whether a bucket's policies deny plain connections to it and to all its objects.

    One statement may do so for the bucket and another for its objects; one with a further
    condition, or for some principals or actions, lets the others through. A bucket has one
    policy: of several the last that is written holds, whichever that is.
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html
    """
    companions = index.referrers(bucket, resource_types.BUCKET_POLICY, "bucket")
    holders = (bucket, *companions.certain)
    denied = {
        _denies(holder, bucket) for holder in holders if holder.inputs.get("policy") is not None
    }
    if len(denied) > 1:
        return UNKNOWN
    verdict = next(iter(denied), False)
    return verdict if verdict is True or companions.complete else UNKNOWN


def _denies(holder: Resource, bucket: Resource) -> Known:
    """Return whether one policy denies plain connections to a bucket and to all its objects."""
    denials = [
        (statement, denies)
        for statement in statements_of(holder.inputs.get("policy"))
        if (denies := _denies_plain(statement)) is not False
    ]
    return all_of(
        any_of(
            all_of((denies, _covers(at(statement, "Resource"), part, bucket, holder)))
            for statement, denies in denials
        )
        for part in _REQUIRED_ARN_SUFFIXES
    )


def _denies_plain(statement: Any) -> Known:
    return all_of(
        (
            equals(at(statement, "Effect"), "Deny"),
            _any_is(at(statement, "Action"), _EVERYTHING),
            _any_is(_principals(at(statement, "Principal")), frozenset({"*"})),
            _selects_only_plain(at(statement, "Condition")),
        )
    )


def _principals(principal: Any) -> Any:
    return at(principal, "AWS") if isinstance(principal, Mapping) else principal


def _selects_only_plain(condition: Any) -> Known:
    """Return whether a statement's one condition selects requests without TLS or with old TLS."""
    if isinstance(condition, Unknown):
        return UNKNOWN
    conditions = list(_conditions(condition))
    if len(conditions) != 1:
        return False
    ((operator, key, value),) = conditions
    if operator in _BOOLEAN and key == "aws:securetransport":
        return any_of(
            UNKNOWN if isinstance(item, Unknown) else str(item).lower() == "false"
            for item in as_list(value)
        )
    if operator == _LESS_THAN_OPERATOR and key == "s3:tlsversion":
        return any_of(_is_supported_tls(version) for version in as_list(value))
    return False


def _conditions(condition: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield each operator, lower-case key and value of a condition."""
    operators = condition.items() if isinstance(condition, Mapping) else ()
    for operator, tests in operators:
        if isinstance(tests, Mapping):
            yield from ((operator, str(key).lower(), value) for key, value in tests.items())
        else:
            yield operator, "", tests


def _is_supported_tls(version: Any) -> Known:
    least = amount(version)
    return UNKNOWN if isinstance(least, Unknown) else least is not None and least >= _MIN_TLS


def _covers(resources: Any, arn_suffix: str, bucket: Resource, holder: Resource) -> Known:
    """Return whether patterns cover a part of this bucket.

    What a policy can't tell before the bucket is there is the bucket that it depends on, as far
    as it names both the bucket and its objects.
    """
    unknown_count = sum(isinstance(pattern, Unknown) for pattern in as_list(resources))
    is_of_bucket = bucket.urn in holder.relations.get("policy", ())
    return any_of(
        (
            *(_matches(pattern, arn_suffix, bucket) for pattern in as_list(resources)),
            is_of_bucket and unknown_count >= len(_REQUIRED_ARN_SUFFIXES),
        )
    )


def _matches(pattern: Any, arn_suffix: str, bucket: Resource) -> Known:
    if not isinstance(pattern, str):
        return UNKNOWN
    arn = bucket.outputs.get("arn")
    names = [bucket.inputs.get("bucket"), bucket.outputs.get("bucket"), bucket.outputs.get("id")]
    known_names = [name for name in names if isinstance(name, str) and name]
    if isinstance(arn, str) and matches_pattern(pattern, arn + arn_suffix):
        return True
    if any(
        matches_pattern(_S3_ARN.sub("", pattern, count=1), name + arn_suffix)
        for name in known_names
    ):
        return True
    return False if known_names else UNKNOWN


def _any_is(value: Any, accepted: frozenset[str]) -> Known:
    return any_of(
        UNKNOWN if isinstance(item, Unknown) else str(item).lower() in accepted
        for item in as_list(value)
    )
