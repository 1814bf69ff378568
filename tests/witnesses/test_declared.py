"""What is declared, held against what this project did not write."""

import json
from pathlib import Path

import pytest

from gpuinfra import clouds
from gpuinfra.clouds import CLOUDS
from gpuinfra.sandbox.aws import HANDLERS
from tests.witnesses import calls, complaints, discovery, graphs


def declared_types(cloud: str) -> set[str]:
    file = Path(clouds.__file__).parent / cloud / "data" / "declared.json"
    return set(json.loads(file.read_text())["types"])


@pytest.mark.slow
@pytest.mark.parametrize("name", graphs.shared())
@pytest.mark.parametrize("rung", graphs.RUNGS)
def test_no_witness_refuses_a_declared_resource(name: str, rung: str) -> None:
    assert complaints(graphs.graph(name, rung)) == []


@pytest.mark.parametrize("name", graphs.golden())
def test_no_witness_refuses_a_golden_case(name: str) -> None:
    assert complaints(graphs.golden_graph(name)) == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_stacks_declare_every_type(cloud: str) -> None:
    seen = {
        resource.type
        for name in graphs.shared()
        for rung in graphs.RUNGS
        for resource in graphs.graph(name, rung).resources.values()
    }

    assert declared_types(cloud) - seen == set()


def test_every_type_of_aws_becomes_calls() -> None:
    assert declared_types("aws") - HANDLERS.keys() == calls.UNSENT.keys()


def test_every_type_of_google_cloud_has_a_discovery_document() -> None:
    table = discovery.TABLE

    assert declared_types("gcp") == table["types"].keys() | table["unread"].keys()
