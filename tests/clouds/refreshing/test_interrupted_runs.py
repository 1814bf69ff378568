"""A run of `catalog refresh` that broke off leaves the pages that it received to the next."""

import json
from pathlib import Path
from typing import Any

import pytest

from gpuinfra.cli import run
from gpuinfra.clouds.refreshing import user_table_files
from tests.clouds.refreshing.conftest import Answer, Interface, Page


class TestGoingOn:
    """A run that broke off leaves its pages to the next."""

    @pytest.fixture
    def pages(
        self, interface: Interface, page: Page, monkeypatch: pytest.MonkeyPatch
    ) -> dict[str, Any]:
        monkeypatch.setenv("GOOGLE_API_KEY", "key")
        path = "/v1/services/6F81-5844-456A/skus?currencyCode=USD&pageSize=5000"
        return {path: page("gcp_1.json"), f"{path}&pageToken=AEp-x/1%3D": Answer(status=500)}

    def google(self, interface: Interface) -> int:
        given = ["--region", "us-central1", "--endpoint", interface.endpoint]
        return run(["catalog", "refresh", "--cloud", "gcp", *given])

    def test_pages_that_came_are_not_asked_for_again(
        self,
        pages: dict[str, Any],
        interface: Interface,
        page: Page,
        home: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        interface.says(pages)
        assert self.google(interface) == 3
        assert "the received page is kept for 24 hours" in capsys.readouterr().err
        _, second = pages
        interface.requested.clear()
        interface.says({second: page("gcp_2.json")})

        assert self.google(interface) == 0

        assert interface.requested == [second]
        assert user_table_files.path("gcp").exists()
        assert not (home / "spool" / "gcp").exists()

    def test_a_page_of_the_day_before_is_asked_for_by_its_tag(
        self,
        pages: dict[str, Any],
        interface: Interface,
        page: Page,
        monkeypatch: pytest.MonkeyPatch,
        home: Path,
    ) -> None:
        first, second = pages
        tagged = Answer(json.dumps(pages[first]).encode(), headers={"ETag": '"abc"'})
        interface.says({**pages, first: tagged})
        assert self.google(interface) == 3
        for kept in (home / "spool" / "gcp").iterdir():
            kept.write_text(kept.read_text().replace('"fetched": "20', '"fetched": "19'))
        interface.headers.clear()
        interface.says({first: Answer(status=304), second: page("gcp_2.json")})

        assert self.google(interface) == 0
        assert interface.headers[0]["If-None-Match"] == '"abc"'

    def test_a_broken_kept_page_is_asked_for_again(
        self, pages: dict[str, Any], interface: Interface, page: Page, home: Path
    ) -> None:
        interface.says(pages)
        assert self.google(interface) == 3
        for kept in (home / "spool" / "gcp").iterdir():
            kept.write_text('{"fetched": "2026-')
        first, second = pages
        interface.requested.clear()
        interface.says({first: page("gcp_1.json"), second: page("gcp_2.json")})

        assert self.google(interface) == 0
        assert interface.requested == [first, second]

    def test_pages_without_an_end(
        self,
        interface: Interface,
        page: Page,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv("GOOGLE_API_KEY", "key")
        interface.says({"/v1/services/6F81-5844-456A/skus": page("gcp_1.json")})

        assert self.google(interface) == 3
        assert "the pages of SKUs do not end" in capsys.readouterr().err
