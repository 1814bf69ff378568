"""The recordings are what the engine writes today, but for ids, names and times."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.conftest import printed_environment
from tests.pulumi_files.recording import PROGRAMS, keep, record, recorded

pytestmark = pytest.mark.e2e


def shape(value: Any) -> Any:
    """Which keys and kinds of values a document has; lists by what their entries have."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(item), sort_keys=True) for item in value})
    return "text" if isinstance(value, str) else type(value).__name__


def steps(text: str) -> Iterator[Any]:
    """Each document of a file, with its resources in one order."""
    for line in text.splitlines():
        yield shape(json.loads(line))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_engine_still_writes_the_same(name, tmp_path, sandbox_home, plain_pulumi):
    files = record(name, tmp_path, plain_pulumi, printed_environment())
    if os.environ.get("GPUINFRA_GOLDEN") == "update":
        keep(name, files)

    for file in ("preview.json", "sames.json", "state.json"):
        (now,), (then,) = steps(files[file]), steps(recorded(name, file))
        assert now == then, file
    now, then = set(map(json.dumps, steps(files["stream.jsonl"]))), set()
    then |= set(map(json.dumps, steps(recorded(name, "stream.jsonl"))))
    assert now == then
