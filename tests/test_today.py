"""One day for every command and pack, whatever the machine's own time zone is."""

import re
import time
from pathlib import Path

import pytest

import gpuinfra
from gpuinfra import today as days
from gpuinfra.api.reading import day_of
from gpuinfra.crossguard import settings
from gpuinfra.crossguard.update import Update
from gpuinfra.rules.policy_sources import given_of

OWN_DAY = re.compile(r"\bdate\.today\(\)|datetime\.now\(\)|\.utcnow\(")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "UTC"])
def test_the_desk_and_the_packs_have_one_day(monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        utc = time.strftime("%Y-%m-%d", time.gmtime())
        pack = Update(
            rules=(), pack=settings.pack_settings({}), judge_settings=given_of({}), dry_run=True
        )
        assert [str(day) for day in (days.today(), day_of(None), pack.today)] == [utc] * 3
    finally:
        monkeypatch.undo()
        time.tzset()


def test_nothing_asks_for_the_machine_s_own_day():
    files = Path(gpuinfra.__file__).parent.rglob("*.py")
    assert [file.name for file in files if OWN_DAY.search(file.read_text("utf-8"))] == []
