"""A type that an SDK has under several names is judged by its current one."""

import re
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from gpuinfra.clouds import canonical
from gpuinfra.model import Resource
from tests.rules.cases.judging import of_resources

PACKAGES: Final = {"aws": "aws", "gcp": "gcp", "azure": "azure-native"}
TOKEN: Final = re.compile(r"super\([^)]*\)\.__init__\(\s*'([^']+)'")
ALIAS: Final = re.compile(r'type_="([^"]+)"')
VERSION: Final = re.compile(r"/v[0-9a-z]+:")
IN_FAVOR: Final = re.compile(
    r"aws\.(\S+)\.(\w+) has been deprecated in favor of aws\.(\S+)\.(\w+)"
)
TWICE: Final = {
    "aws:s3/bucketObject:BucketObject": "aws:s3/bucketObjectv2:BucketObjectv2",
    "aws:alb/listener:Listener": "aws:lb/listener:Listener",
    "aws:alb/targetGroup:TargetGroup": "aws:lb/targetGroup:TargetGroup",
}
"""Types that pulumi-aws has twice, without an alias."""


def texts(package: str) -> Iterator[tuple[str, str]]:
    """The current type of each module of an SDK, and its text."""
    spec = find_spec(f"pulumi_{package.replace('-', '_')}")
    assert spec is not None
    assert spec.origin is not None
    for text in map(Path.read_text, Path(spec.origin).parent.rglob("*.py")):
        if today := TOKEN.search(text):
            yield today[1], text


@pytest.mark.slow
@pytest.mark.parametrize("cloud", PACKAGES)
def test_each_alias_of_the_sdk_stands_for_its_current_type(cloud: str) -> None:
    """An API version is left out; one that became several types may stand for itself."""
    former, current = defaultdict(set), set()
    for today, text in texts(PACKAGES[cloud]):
        current.add(today)
        for name in ALIAS.findall(text):
            former[name].add(today)
    stands_for = {name: VERSION.sub(":", name, count=1) for name in former}
    types = defaultdict(set)
    for name, todays in former.items():
        types[stands_for[name]] |= todays
    unfolded = {
        name: canonical(name)
        for name, plain in stands_for.items()
        if not {name, plain} & current
        and canonical(name) not in map(canonical, types[plain])
        and (len(types[plain]) == 1 or canonical(name) != plain)
    }

    assert len(former) > 5
    assert unfolded == {}


@pytest.mark.slow
def test_a_deprecated_type_of_aws_stands_for_the_one_in_favor() -> None:
    deprecated = {match.groups() for _, text in texts("aws") if (match := IN_FAVOR.search(text))}
    current = {today.lower(): today for today, _ in texts("aws")}
    folded = {
        canonical(current[f"aws:{module}:{name}".lower()])
        == current[f"aws:{today}:{other}".lower()]
        for module, name, today, other in deprecated
    }

    assert len(deprecated) > 5
    assert folded == {True}


@pytest.mark.parametrize(("former", "current"), TWICE.items())
def test_a_type_that_aws_has_twice_is_one(former: str, current: str) -> None:
    assert canonical(former) == current


@pytest.mark.parametrize(
    ("former", "current"),
    [
        ("azure-native:cache/v20200601:Redis", "azure-native:redis:Redis"),
        ("azure-native:netapp:Volume", "azure-native:netapp:CapacityPoolVolume"),
        (
            "azure-native:dynamics365fraudprotection/v20210201preview:InstanceDetails",
            "azure-native:dynamics365fraudprotection:InstanceDetails",
        ),
        ("kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:Deployment"),
        ("other:index:Thing", "other:index:Thing"),
    ],
)
def test_a_moved_type_has_its_current_name(former: str, current: str) -> None:
    assert canonical(former) == current


@pytest.mark.parametrize("module", ["serviceaccount", "serviceAccount"])
def test_a_key_of_an_account_is_one_in_both_spellings(module):
    key = Resource(urn="k", type=f"gcp:{module}/key:Key", name="k", inputs={})
    (credential,) = of_resources([key]).credentials
    assert credential.description == "a key of a service account"
