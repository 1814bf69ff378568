"""A type under a former name of its module is what it is today."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from gpuinfra.clouds.gcp.observe import resource_types
from gpuinfra.model import Resource
from tests.rules.cases.judging import of_resources


@pytest.mark.slow
def test_every_alias_of_the_sdk_has_the_name_of_today():
    spec = find_spec("pulumi_gcp")
    assert spec is not None
    assert spec.origin is not None
    files = Path(spec.origin).parent.rglob("*.py")
    pairs = {
        (formerly, today[1])
        for text in map(Path.read_text, files)
        if (today := re.search(r"super\([^)]*\)\.__init__\(\s*'([^']+)'", text))
        for formerly in re.findall(r'type_="(gcp:[^"]+)"', text)
    }
    assert len(pairs) > 5
    assert {formerly: resource_types.canonical(formerly) for formerly, _ in pairs} == dict(pairs)


@pytest.mark.parametrize("module", ["serviceaccount", "serviceAccount"])
def test_a_key_of_an_account_is_one_in_both_spellings(module):
    key = Resource(urn="k", type=f"gcp:{module}/key:Key", name="k", inputs={})
    (credential,) = of_resources([key]).credentials
    assert credential.description == "a key of a service account"
