"""Pages of `gpuinfra report`, as they are written and read back."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import run
from tests.report.html.pages import DAY, SOURCES, page_of, source
from tests.report.html.parsing import Parsed, parsed

Json = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Written:
    path: Path
    text: str
    page: Parsed


@pytest.fixture(scope="session", params=SOURCES)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("report")
    path = source(request.param, folder)
    text = page_of(path, folder)
    return Written(path, text, parsed(text))


@pytest.fixture
def as_json(capsys: pytest.CaptureFixture[str]) -> Json:
    def call(*arguments: object) -> dict[str, Any]:
        capsys.readouterr()
        run([*map(str, arguments), "--as-of", DAY, "--json"])
        return json.loads(capsys.readouterr().out)

    return call
