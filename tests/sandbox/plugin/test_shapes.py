"""The tables of resource types: all that is declared, a type on a line, in order."""

import json
from pathlib import Path

import pytest

from gpuinfra import clouds, sandbox
from gpuinfra.sandbox.plugin import schema

DATA = Path(sandbox.__file__).parent / "data"
PACKAGES = {"aws": "aws", "gcp": "gcp", "azure": "azure-native"}


@pytest.mark.parametrize("cloud", PACKAGES)
def test_every_type_that_gpuinfra_declares_has_a_shape(cloud: str) -> None:
    table = Path(clouds.__file__).parent / cloud / "data/declared.json"
    declared = set(json.loads(table.read_text(encoding="utf-8"))["types"])

    assert len(declared) > 10
    assert declared - set(schema.load(PACKAGES[cloud]).tokens) == set(), (
        f"write what the type takes into {PACKAGES[cloud]}.json: docs/contributing.md"
    )


@pytest.mark.parametrize("package", PACKAGES.values())
def test_a_type_is_on_a_line_of_its_own_in_order(package: str) -> None:
    path = DATA / f"{package}.json"
    tables = json.loads(path.read_text(encoding="utf-8"))
    lines = path.read_text(encoding="utf-8").splitlines()

    assert list(tables) == sorted(tables)
    for listed in (tables, tables["$enums"], tables["$types"]):
        for name in listed:
            if name not in {"$enums", "$types"}:
                assert sum(line.startswith(f"{json.dumps(name)}:") for line in lines) == 1, name
