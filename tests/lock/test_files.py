import errno
import os
from pathlib import Path

import pytest

from gpuinfra import lock
from gpuinfra.errors import InputError
from tests.lock.conftest import STACKS, made


@pytest.fixture(scope="module")
def whole() -> lock.Lock:
    return made(STACKS / "quickstart")


def test_a_lock_is_written_and_read(tmp_path: Path, whole: lock.Lock) -> None:
    place = tmp_path / lock.FILE_NAME
    lock.write(whole, place)

    assert lock.read_lock(place) == whole
    assert lock.lock_of(tmp_path / "stack.yaml") == whole
    assert place.stat().st_mode & 0o777 == 0o644
    assert list(tmp_path.iterdir()) == [place]


def test_a_lock_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, whole: lock.Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / lock.FILE_NAME
    place.write_text("the old one")
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(full))

    with pytest.raises(OSError, match="No space left"):
        lock.write(whole, place)

    assert place.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(
    ("content", "why"), [(b"\xff\xfe{\x00", "is not UTF-8"), (b"{}" + b" " * 20, "larger than")]
)
def test_what_is_no_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, why: str
) -> None:
    from gpuinfra.lock import files

    monkeypatch.setattr(files, "MAX_LOCK_SIZE", 16)
    place = tmp_path / lock.FILE_NAME
    place.write_bytes(content)

    with pytest.raises(InputError, match=why):
        lock.read_lock(place)


def test_a_folder_in_the_place_of_a_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / lock.FILE_NAME).mkdir()

    with pytest.raises(InputError, match="can't be read"):
        lock.lock_of(tmp_path / "stack.yaml")
