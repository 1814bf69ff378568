"""`schema` gives a schema of each kind of file, and it judges as gpuinfra does."""

import json
from pathlib import Path

import jsonschema
import pytest

from gpuinfra.cli.commands.schema import KINDS
from tests.cli.conftest import STACKS, Run


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_file_has_a_schema(gpuinfra: Run, kind: str) -> None:
    schema = json.loads(gpuinfra("schema", kind).out)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"].startswith("gpuinfra")


def test_the_schemas_take_what_is_sound_and_refuse_what_is_not(
    gpuinfra: Run, tmp_path: Path
) -> None:
    (tmp_path / "stack.yaml").write_text((STACKS / "quickstart/stack.yaml").read_text())
    gpuinfra("lock", tmp_path)
    waiver = {"rule": "a", "resource": "b", "reason": "c", "owner": "d", "until": "2026-12-31"}
    sound = {
        "lock": json.loads((tmp_path / "gpuinfra.lock").read_text()),
        "waivers": {"waivers": [waiver]},
        "settings": {"budget": {"per_hour": 8}, "resources": {"box": {"purpose": "training"}}},
    }
    unsound = {
        "lock": {**sound["lock"], "workloads": 7},
        "waivers": {"waivers": [{**waiver, "until": "soon"}]},
        "settings": {"budgte": {}},
    }
    for kind in ("lock", "waivers", "settings"):
        validator = jsonschema.Draft202012Validator(json.loads(gpuinfra("schema", kind).out))

        assert [error.message for error in validator.iter_errors(sound[kind])] == []
        assert not validator.is_valid(unsound[kind])
