"""Arguments whose value may be an output: the placeholder and the allowed pattern."""

from collections.abc import Mapping
from hashlib import sha512
from types import MappingProxyType
from typing import Final

from gpuinfra.records import record

_NO_ACCOUNT: Final = "0" * 12


@record
class LateValue:
    """An argument that a caller may give as an output.

    Attributes:
        stand_in: what planning reads in its place; it may name the region.
        pattern: what the value has to be. Other forms that are taken as plain text make other
            resources, which is decided before the value is known.
        allowed: the same in words.
        listed: whether it is a list of such values, each of which may come later.
        whole: whether the whole value may come later; else only entries of a list.
    """

    stand_in: str
    pattern: str
    allowed: str
    listed: bool = False
    whole: bool = True


_MACHINE_IMAGE_VALUES: Final[Mapping[str, LateValue]] = MappingProxyType(
    {
        "aws": LateValue(
            stand_in="ami-00000000",
            pattern=r"ami-.*",
            allowed="an image id, for example ami-0123456789abcdef0; write an SSM parameter as "
            "text",
        ),
        "gcp": LateValue(
            stand_in="projects/later/global/images/later",
            pattern=r"projects/[^/]+/global/images/[^/]+",
            allowed="an image's id, for example projects/my-project/global/images/my-image; write "
            "a family as text",
        ),
        "azure": LateValue(
            stand_in="/subscriptions/later/resourceGroups/later/providers/Microsoft.Compute"
            "/images/later",
            pattern=r"(?i)/subscriptions/.*",
            allowed="the resource id of an image or of an image version in a gallery; write an "
            "image of the Marketplace as text",
        ),
    }
)

_LONGEST_IMAGE: Final = 255
_LATE_PREFIX: Final = "later/" + (sha512(b"later").hexdigest() * 2)[: _LONGEST_IMAGE - 6]

_EVERYWHERE: Final[Mapping[str, LateValue]] = MappingProxyType(
    {
        "image": LateValue(
            # As long as it can be, so that a start-up script that fits now fits then.
            stand_in=_LATE_PREFIX,
            pattern=".*",
            allowed="a container image, for example vllm/vllm-openai:v0.11.0",
        ),
        "args": LateValue(
            stand_in=_LATE_PREFIX,
            pattern="(?s).*",
            allowed="texts, for example --max-model-len and 8192",
            listed=True,
        ),
        "notify": LateValue(
            stand_in=f"arn:aws:sns:{{region}}:{_NO_ACCOUNT}:later",
            pattern=r"arn:[^:]+:sns:.*",
            allowed="the ARN of an SNS topic; write e-mail addresses as text",
            listed=True,
            whole=False,
        ),
        "certificate": LateValue(
            stand_in=f"arn:aws:acm:{{region}}:{_NO_ACCOUNT}:certificate/later",
            pattern=r"arn:.*",
            allowed="the ARN of a certificate in AWS Certificate Manager",
        ),
        "encryption": LateValue(
            stand_in=f"arn:aws:kms:{{region}}:{_NO_ACCOUNT}:key/later",
            pattern=r"arn:.*",
            allowed="the ARN of a key; write managed and kms as text",
        ),
        "access_logs": LateValue(
            stand_in="later",
            pattern=r"(?!own$).*",
            allowed="a bucket's name; write own as text",
        ),
    }
)


def late_value(cloud: str, argument: str) -> LateValue | None:
    """Return the parts of an argument that may be outputs; None if planning needs its value."""
    return (
        _MACHINE_IMAGE_VALUES.get(cloud)
        if argument == "machine_image"
        else _EVERYWHERE.get(argument)
    )
