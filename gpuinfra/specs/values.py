"""The value types of a stack file: every range, word and text that a user may write."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Final, Literal

from gpuinfra.specs import unsupported_words
from gpuinfra.specs.currencies import currency
from gpuinfra.specs.fields import day, moment, text, word_reader, yes_or_no
from gpuinfra.specs.numbers import count_reader, measure, money, replicas, whole_number_reader
from gpuinfra.units import (
    DURATION_ALLOWED,
    DURATION_PATTERN,
    RATE_ALLOWED,
    RATE_PATTERN,
    SHARE_PATTERN,
    SIZE_ALLOWED,
    SIZE_PATTERN,
    Range,
    parse_duration,
    parse_range,
    parse_rate,
    parse_share,
    parse_size,
)


def _nearest_lower_name(text: str) -> str:
    """Return the lower-case name nearest to a text; empty if there is none."""
    lower_text = text.lower().partition("://")[2] or text.lower()
    name = re.sub(r"[^a-z0-9]+", "-", lower_text[:40]).strip("-").lstrip("-0123456789")
    return name if re.fullmatch(_NAME, name) else ""


def _folder(text: str) -> str:
    """Return the prefix that a path probably meant; empty if there is none."""
    trimmed = f"{text.strip('/ ')}/"
    return trimmed if re.fullmatch(_PREFIX, trimmed) else ""


def gpu_hint(text: str) -> str:
    """Return the request that `8xH100`, `H100x8` or `H100 * 8` probably meant."""
    for pattern in (r"(?P<count>N) ?[x*:] ?(?P<gpu>G)", r"(?P<gpu>G?) ?[x*=,] ?(?P<count>N)"):
        known = pattern.replace("N", "[1-9][0-9]{0,2}").replace("G", "[A-Za-z][A-Za-z0-9-]*")
        match = re.fullmatch(known.replace("*?", "*"), text)
        if match:
            return f"{match['gpu']}:{match['count']}"
    return ""


_NAME = r"[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?"
_NAMES = "lower-case letters, digits and inner hyphens, starting with a letter; at most 40"
_PREFIX = r"(?:(?!\.{1,2}/)[A-Za-z0-9!_.'()=-]+/)*"
_REGION = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_GPU = r"[A-Za-z][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*"
GPU_PATTERN: Final = rf"{_GPU}(?::[1-9][0-9]{{0,2}})?"
GPU_LONGEST: Final = 64
SETTING: Final = r"[a-z][a-z0-9_]{0,63}"
GPU_ALLOWED: Final = "a GPU and how many of them in one machine, for example H100:8 or L4:1"

StackName = Annotated[
    str,
    text(
        r"[a-z][a-z0-9-]{0,38}[a-z0-9]",
        f"2 to 40 characters: {_NAMES}",
        hint=_nearest_lower_name,
    ),
]
Name = Annotated[str, text(_NAME, _NAMES, hint=_nearest_lower_name)]
RuleId = Annotated[
    str, text(_NAME, "a rule's id, for example spot-share", hint=_nearest_lower_name)
]
Owner = Annotated[
    str,
    text(
        r"[A-Za-z0-9](?:[A-Za-z0-9 _.:/=+@-]*[A-Za-z0-9])?",
        "a team or a person, for example ml-platform or jane@example.com",
    ),
]
Email = Annotated[
    str,
    text(
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
        "an e-mail address, for example ml-platform@example.com",
        longest=254,
    ),
]
Receiver = Annotated[
    str,
    text(
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|"
        r"arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]+",
        "an e-mail address or the ARN of an SNS topic, for example ml-platform@example.com",
        longest=300,
    ),
]
BillingAccount = Annotated[
    str,
    text(
        r"[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}",
        "a Google Cloud billing account, for example 01ABCD-234567-89EF01",
    ),
]
TypeToken = Annotated[
    str,
    text(
        r"[A-Za-z0-9-]+:(?:[A-Za-z0-9/_.-]*:[A-Za-z0-9/_.-]+|[A-Za-z0-9_.-]+[/:]\*)",
        "a Pulumi resource type, for example aws:ec2/eip:Eip, or those of a service: aws:rds/*",
    ),
]
Region = Annotated[
    str,
    text(
        _REGION,
        "a region, for example us-east-1, in lower case",
        hint=_nearest_lower_name,
        longest=40,
    ),
]
Zone = Annotated[
    str,
    text(
        _REGION,
        "a zone, for example us-east-1a, in lower case",
        hint=_nearest_lower_name,
        longest=40,
    ),
]
FabricKind = Annotated[
    str,
    text(
        r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*",
        "the kind of a fabric, for example efa, infiniband or gpudirect-tcpx",
        hint=_nearest_lower_name,
        longest=40,
    ),
]
GpuModel = Annotated[str, text(_GPU, "a GPU's name, for example H100 or L4", longest=64)]
Instance = Annotated[
    str,
    text(r"[A-Za-z0-9][A-Za-z0-9._+-]*", "a machine type, for example p5.48xlarge", longest=64),
]
MachineImage = Annotated[
    str,
    text(
        r"[A-Za-z0-9/][A-Za-z0-9._:/@-]*",
        "an image's id or name, for example ami-0123456789abcdef0",
        longest=255,
    ),
]
Image = Annotated[
    str,
    text(
        r"[A-Za-z0-9][A-Za-z0-9._-]*(?:[:/@][A-Za-z0-9._-]+)*",
        "a container image, for example vllm/vllm-openai:v0.11.0",
        longest=255,
    ),
]
Argument = Annotated[
    str,
    text(
        r"[^\x00-\x08\x0b-\x1f\x7f]*",
        "an argument of a command, for example --max-model-len",
        longest=4096,
    ),
]
UrlPath = Annotated[
    str, text(r"/[A-Za-z0-9._~/%?=&-]*", "a path, for example /health", longest=256)
]
Command = Annotated[
    str,
    text(
        r"[^\x00-\x08\x0b-\x1f\x7f]+",
        "a shell command, for example torchrun train.py",
        longest=8192,
    ),
]
Prefix = Annotated[
    str,
    text(
        _PREFIX,
        "folders inside the bucket, ending with a slash, for example tokens/",
        hint=_folder,
        longest=512,
    ),
]
Sentence = Annotated[
    str,
    text(
        r"[^\x00-\x20\x7f](?:[^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?", "one line of text", longest=512
    ),
]

Money = Annotated[Decimal, money()]
Price = Annotated[Decimal, money(zero=False)]
Cost = Annotated[Decimal, money(zero=False, unit="an amount of money")]
Currency = Annotated[str, currency()]
Foreign = Annotated[str, currency(dollars=False)]
ExchangeRate = Annotated[Decimal, money(10**6, zero=False, unit="US dollars for one unit")]
Flag = Annotated[bool, yes_or_no()]
Day = Annotated[date, day()]
Moment = Annotated[datetime, moment()]
Days = Annotated[int, whole_number_reader(1, 3650)]
Nodes = Annotated[int, whole_number_reader(1, 1000)]
GpuCount = Annotated[int, whole_number_reader(1, 999)]
Vcpus = Annotated[int, whole_number_reader(1, 1000)]
Tally = Annotated[int, count_reader()]
Runs = Annotated[int, whole_number_reader(1, 1000)]
Iops = Annotated[int, whole_number_reader(100, 1_000_000)]
Throughput = Annotated[int, whole_number_reader(1, 100_000)]
Base = Annotated[int, whole_number_reader(0, 1000)]
Port = Annotated[int, whole_number_reader(1, 65_535)]
Requests = Annotated[int, whole_number_reader(1, 1_000_000)]
Version = Annotated[Literal[1], whole_number_reader(1, 1, range_message="is an unknown version")]

Duration = Annotated[
    timedelta, measure(parse_duration, DURATION_PATTERN, DURATION_ALLOWED, done=timedelta)
]
Interval = Annotated[
    timedelta, measure(parse_duration, DURATION_PATTERN, DURATION_ALLOWED, timedelta, unit="m")
]
"""The time between two checkpoints, which is minutes rather than hours."""
Retention = Annotated[
    timedelta, measure(parse_duration, DURATION_PATTERN, DURATION_ALLOWED, timedelta, unit="d")
]
"""How long objects are kept, which is days rather than hours."""
Size = Annotated[int, measure(parse_size, SIZE_PATTERN, SIZE_ALLOWED)]
Rate = Annotated[int, measure(parse_rate, RATE_PATTERN, RATE_ALLOWED)]
Target = Annotated[
    Decimal,
    measure(
        parse_share,
        rf"(?!0+(?:\.0+)? ?%){SHARE_PATTERN}",
        "a share above 0% and up to 100%, for example 70%",
    ),
]
InterruptionShare = Annotated[
    Decimal,
    measure(
        parse_share,
        r"(?!0+(?:\.0+)? ?%)[0-9]{1,2}(?:\.[0-9]{1,6})? ?%",
        "a share of machines above 0% and below 100%, for example 5%",
    ),
]
SizeRange = Annotated[
    Range,
    measure(
        lambda text: parse_range(text, parse_number=parse_size),
        rf"{SIZE_PATTERN}(?:\.\.(?:{SIZE_PATTERN})?)?",
        "a size or a range of sizes, for example 80GB.. or 40GB..80GB",
        done=Range,
    ),
]
Replicas = Annotated[Range, replicas(1000)]
Messages = Annotated[int, whole_number_reader(1, 100_000)]
ZoneCount = Annotated[int, whole_number_reader(2, 6)]
MetadataIops = Annotated[int, whole_number_reader(1500, 192_000)]
StorageThroughput = Annotated[int, whole_number_reader(1, 1_000_000)]

Cloud = Annotated[
    Literal["aws", "gcp", "azure", "any"],
    word_reader(("aws", "gcp", "azure", "any"), unsupported_words.CLOUDS),
]
Kind = Annotated[
    Literal["spot", "on-demand", "reserved", "capacity-block"],
    word_reader(("spot", "on-demand", "reserved", "capacity-block"), unsupported_words.CAPACITIES),
]
PoolKind = Annotated[
    Literal["spot", "on-demand"],
    word_reader(("spot", "on-demand"), unsupported_words.POOL_CAPACITIES),
]
Fabric = Annotated[
    Literal["required", "preferred", "none"], word_reader(("required", "preferred", "none"))
]
Architecture = Annotated[Literal["x86_64", "arm64"], word_reader(("x86_64", "arm64"))]
Precision = Annotated[
    Literal["bf16", "fp16", "fp8", "fp32"], word_reader(("bf16", "fp16", "fp8", "fp32"))
]
Mode = Annotated[Literal["read", "write"], word_reader(("read", "write"))]
Level = Annotated[
    Literal["mandatory", "advisory", "disabled"],
    word_reader(("mandatory", "advisory", "disabled")),
]
RunsIn = Annotated[Literal["sandbox", "cloud"], word_reader(("sandbox", "cloud"))]

Reservation = Annotated[
    str, text(r"cr-[0-9a-f]{8,17}", "a capacity reservation, for example cr-0123456789abcdef0")
]
PlacementGroup = Annotated[
    str,
    text(r"[A-Za-z0-9][A-Za-z0-9 _.-]*", "the name of an existing placement group", longest=255),
]
Cidr = Annotated[
    str,
    text(
        r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}/[0-9]{1,2}",
        "a block of addresses, for example 10.0.0.0/16",
    ),
]
Certificate = Annotated[
    str,
    text(
        r"arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+",
        "the ARN of a certificate in AWS Certificate Manager",
        longest=256,
    ),
]
Encryption = Annotated[
    str,
    text(
        r"managed|kms|arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+",
        "managed, kms (the bucket's own key), or the ARN of a key",
        longest=256,
    ),
]
AccessLogs = Annotated[
    str,
    text(
        r"own|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
        "own (a bucket is created for them), or the name of an existing bucket",
    ),
]
QueueName = Annotated[
    str, text(r"[A-Za-z0-9_-]{1,80}", "the name of an existing queue, for example jobs")
]
Repository = Annotated[
    str,
    text(
        r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}",
        "a GitHub repository, for example example/training",
    ),
]
Branch = Annotated[str, text(r"[A-Za-z0-9][A-Za-z0-9._/-]*", "a branch, for example main")]
Provider = Annotated[
    str,
    text(
        r"arn:aws[a-z-]*:iam::[0-9]{12}:oidc-provider/[A-Za-z0-9./_-]+",
        "the ARN of an identity provider of the account",
        longest=256,
    ),
]
TagKey = Annotated[
    str,
    text(
        r"(?!(?i:aws:)|gpuinfra:)[A-Za-z0-9][A-Za-z0-9 _.:/=+@-]*",
        "a tag key that begins with neither aws: nor gpuinfra:, for example cost-center",
    ),
]
TagValue = Annotated[
    str, text(r"[A-Za-z0-9 _.:/=+@-]*", "a tag's value, for example vision", longest=256)
]
SoftwareVersion = Annotated[
    str, text(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}", 'a version in quotes, for example "12.8"')
]
Breach = Annotated[Literal["alert", "stop"], word_reader(("alert", "stop"))]
Covers = Annotated[Literal["machines", "everything"], word_reader(("machines", "everything"))]
EfaLayout = Annotated[
    Literal["standard", "most-ip", "fewest-ip", "classic"],
    word_reader(("standard", "most-ip", "fewest-ip", "classic")),
]
LockMode = Annotated[
    Literal["governance", "compliance"], word_reader(("governance", "compliance"))
]
Deployment = Annotated[
    Literal["scratch-1", "scratch-2", "persistent-1", "persistent-2"],
    word_reader(("scratch-1", "scratch-2", "persistent-1", "persistent-2")),
]
StorageKind = Annotated[
    Literal["ssd", "hdd", "intelligent-tiering"],
    word_reader(("ssd", "hdd", "intelligent-tiering")),
]
