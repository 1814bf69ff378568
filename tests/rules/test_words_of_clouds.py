"""A fix or a message about one cloud has none of the words of another."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuinfra import clouds
from gpuinfra.clouds import CLOUDS, provider_of
from gpuinfra.rules import RULES

WORDS = {
    "aws": r"(?<!network )security group|Session Manager|session manager|\bS3\b|\bEC2\b|\bEFA\b"
    r"|\bEFS\b|\bEKS\b|launch template|Auto Scaling|scaling group|EventBridge|CloudWatch"
    r"|\bAMI\b|\bami-|metadataOptions|iamInstanceProfile|mapPublicIpOnLaunch|SecureString",
    "gcp": r"Cloud NAT|service account|instance template|\bGKE\b|gVNIC|RoCE|privateIpGoogleAccess"
    r"|accessConfigs|\bIAP\b|enable-oslogin|nodeConfig",
    "azure": r"network security group|managed identity|scale set|resource group|\bAKS\b"
    r"|(?<!sole-)tenant\b|Bastion|ipConfigurations|InfiniBand|allowSharedKeyAccess|osProfile",
}

ONLY = {
    "aws": (
        *("spot-allocation", "fabric-cards", "metadata-v2", "metadata-hop-limit"),
        *("file-system-encrypted", "bucket-encrypted", "subnet-addresses"),
    ),
    "gcp": ("fabric-networks", "login-identity", "gpu-maintenance", "flex-start"),
    "azure": ("eviction-policy", "fabric-scale-set", "password-login"),
}
"""Rules that find something on one cloud alone."""


OF_ANY = frozenset({"secret-in-output"})
"""Rules about what is on no cloud, for example the outputs of a stack."""


def foreign(cloud: str, text: str) -> set[str]:
    others = (words for other, words in WORDS.items() if other != cloud)
    return {word for words in others for word in re.findall(words, text)}


def concerned(rule: str) -> list[str]:
    only = [cloud for cloud, rules in ONLY.items() if rule in rules]
    return [] if rule in OF_ANY else only or list(CLOUDS)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_fix_of_no_rule_has_the_words_of_another_cloud(cloud):
    fixes = {rule.id: rule.fix_on(cloud) for rule in RULES if cloud in concerned(rule.id)}

    assert {rule: foreign(cloud, fix) for rule, fix in fixes.items() if foreign(cloud, fix)} == {}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_fix_of_no_type_has_the_words_of_another_cloud(cloud):
    rows = provider_of(cloud).tables.rows("ways")

    assert [row["fix"] for row in rows if foreign(cloud, row["fix"])] == []


def messages(folder: Path) -> Iterator[str]:
    """The texts with a space in them of a folder's programs, without docstrings."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and " " in text and id(node) not in documents:
                yield text


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_message_about_a_cloud_has_the_words_of_another(cloud):
    folder = Path(clouds.__file__).parent / cloud / "observe"

    assert [text for text in messages(folder) if foreign(cloud, text)] == []
