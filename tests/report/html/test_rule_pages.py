"""The pages of a cloud's documentation that a rule names."""

import json

import pytest

from gpuinfra.clouds import cloud_of_page
from gpuinfra.report.html.page import RULE_PAGES, rule_pages
from gpuinfra.rules import RULES


def test_a_page_of_a_rule_is_of_the_cloud_that_it_is_listed_for() -> None:
    table = json.loads(RULE_PAGES.read_text("utf-8"))["pages"]
    homes = {rule.id: cloud_of_page(rule.source) for rule in RULES}

    for rule, pages in table.items():
        assert homes[rule] not in pages
        assert [cloud_of_page(page) for page in pages.values()] == list(pages)


@pytest.mark.parametrize("clouds", [{"aws"}, {"gcp"}, {"azure"}, {"aws", "azure"}])
def test_a_rule_names_pages_of_the_clouds_of_the_stack_alone(clouds: set[str]) -> None:
    named = {cloud_of_page(page) for pages in rule_pages(clouds).values() for page in pages}

    assert named - {None} == clouds
