"""A rule's page is named once the documentation site has an address."""

from collections.abc import Iterator
from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from gpuinfra.report import rule_address, rule_text, sarif
from gpuinfra.rules import RULES
from tests.cli.conftest import Run
from tests.cli.conftest import gpuinfra as gpuinfra  # noqa: PLC0414

RULE = RULES[0]
SITE = "https://docs.example.com/gpuinfra"


@pytest.fixture
def urls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Message]:
    """The addresses that the package's metadata names."""
    told = Message()
    monkeypatch.setattr(rule_address, "metadata", lambda _: told)
    rule_address.site.cache_clear()
    yield told
    rule_address.site.cache_clear()


def test_without_a_site_the_source_is_the_help(urls: Message) -> None:
    urls["Project-URL"] = "Source, https://example.com/source"

    assert not rule_address.page_of(RULE)
    assert sarif._descriptor(RULE)["helpUri"] == RULE.source
    assert "page:" not in rule_text.rule_help(RULE)
    assert rule_address.more_about(RULE.id) == f"gpuinfra explain {RULE.id}"


def test_a_finding_and_its_explanation_name_the_page(urls: Message) -> None:
    urls["Project-URL"] = "Documentation, https://docs.example.com/gpuinfra/"
    page = f"https://docs.example.com/gpuinfra/rules/{RULE.id}.html"

    assert sarif._descriptor(RULE)["helpUri"] == page
    assert rule_address.more_about(RULE.id) == page
    assert f"  page:    {page}" in rule_text.rule_help(RULE).split("\n")


STACK = """\
name: demo
owner: ml
budget: {per_hour: 0.1}
where: {cloud: aws, regions: [us-east-1]}
training:
  t: {instance: g6.xlarge, capacity: on-demand, duration: 2h}
"""
PAGE = f"{SITE}/rules/cap-per-hour.html"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("check SOURCE -v", f"    more: {PAGE}\n"),
        ("check SOURCE --format github", f"more: {PAGE}"),
        ("check SOURCE --format junit", f"more: {PAGE}"),
        ("check SOURCE --format markdown", f"- ❌ **[cap-per-hour]({PAGE})** `demo`"),
        ("check SOURCE --format sarif", f'"helpUri": "{PAGE}"'),
        ("report SOURCE --output -", f'href="{PAGE}"'),
        ("explain cap-per-hour", f"  page:    {PAGE}\n"),
    ],
)
def test_each_format_names_the_page_of_a_rule(
    urls: Message, gpuinfra: Run, tmp_path: Path, command: str, words: str
) -> None:
    urls["Project-URL"] = f"Documentation, {SITE}/"
    path = tmp_path / "stack.yaml"
    path.write_text(STACK)

    ran = gpuinfra(*(str(path) if word == "SOURCE" else word for word in command.split()))

    assert words in ran.out


def test_a_package_without_metadata_has_no_site(
    urls: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: str) -> Message:
        raise PackageNotFoundError

    monkeypatch.setattr(rule_address, "metadata", absent)
    assert not rule_address.site()
