"""Pages of `gpuinfra report`, as they are written and read back."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.report.html.pages import SOURCES, page_of, source
from tests.report.html.parsing import Parsed, parsed


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
