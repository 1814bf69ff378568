"""Files that a program hands over: content, what is the same, what can't be read."""

import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import rpc

from gpuinfra.pulumi_special_values import SIGNATURE
from gpuinfra.sandbox.plugin import assets, diff
from gpuinfra.sandbox.plugin.assets import AssetError, content, is_asset
from gpuinfra.sandbox.plugin.schema import ResourceType
from gpuinfra.sandbox.plugin.wire import from_wire, to_wire

ASSET, ARCHIVE = rpc._special_asset_sig, rpc._special_archive_sig


def asset(**lies: str) -> dict[str, Any]:
    return {SIGNATURE: ASSET, **lies}


def archive(**lies: Any) -> dict[str, Any]:
    return {SIGNATURE: ARCHIVE, **lies}


def names(packed: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(packed)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def test_the_marks_are_pulumis_own() -> None:
    assert rpc._special_sig_key == SIGNATURE
    assert is_asset(asset(text="x"))
    assert is_asset(archive(assets={}))
    assert not is_asset({SIGNATURE: rpc._special_secret_sig, "value": "x"})
    assert not is_asset({"text": "x"})


async def sent(value: Any) -> Any:
    """What the SDK sends the engine of a value."""
    return await rpc.serialize_properties({"value": value}, {})


def test_what_the_sdk_sends_is_read_and_sent_back_whole() -> None:
    import asyncio

    given = pulumi.AssetArchive({"main.py": pulumi.StringAsset("print(1)")})
    values = from_wire(asyncio.run(sent(given)))

    assert is_asset(values["value"])
    assert names(content(values["value"])) == {"main.py": b"print(1)"}
    assert from_wire(to_wire(values)) == values


def test_a_text_and_a_file_are_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a b.sh"
    file.write_bytes(b"\x00sh")

    assert content(asset(text="grüße")) == "grüße".encode()
    assert content(asset(path=str(file))) == b"\x00sh"
    assert content(asset(uri=file.as_uri())) == b"\x00sh"


def test_an_archive_is_a_zip_of_its_files_folders_and_archives(tmp_path: Path) -> None:
    inner = tmp_path / "lib"
    (inner / "deep").mkdir(parents=True)
    (inner / "deep" / "x.py").write_text("x = 1")
    packed = tmp_path / "more.tar.gz"
    with tarfile.open(packed, "w:gz") as tar:
        tar.add(inner / "deep" / "x.py", "y.py")

    whole = archive(
        assets={
            "main.py": asset(text="import x"),
            "lib": archive(path=str(inner)),
            "more": archive(path=str(packed)),
        }
    )

    assert names(content(whole)) == {
        "main.py": b"import x",
        "lib/deep/x.py": b"x = 1",
        "more/y.py": b"x = 1",
    }


def test_a_zip_file_is_taken_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "code.zip"
    file.write_bytes(content(archive(assets={"a": asset(text="1")})))

    assert content(archive(path=str(file))) == file.read_bytes()
    nested = archive(assets={"sub": archive(path=str(file))})
    assert names(content(nested)) == {"sub/a": b"1"}


def test_the_same_files_make_the_same_bytes() -> None:
    written = archive(assets={"a": asset(text="1"), "b": asset(text="2")})
    other = archive(assets={"b": asset(text="2"), "a": asset(text="1")})

    assert content(written) == content(other)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (asset(path="/nowhere/a.sh"), "the asset /nowhere/a.sh can't be read: No such file"),
        (asset(uri="https://example.com/a"), "the asset at https://example.com/a can't be read"),
        (asset(hash="abc"), "the asset at nowhere can't be read"),
        (archive(path="/nowhere/code"), "the asset /nowhere/code can't be read"),
    ],
)
def test_what_can_not_be_read_is_said(value: dict[str, Any], message: str) -> None:
    with pytest.raises(AssetError, match=message.replace("(", r"\(")):
        content(value)


def test_a_broken_archive_is_said(tmp_path: Path) -> None:
    file = tmp_path / "broken.zip"
    file.write_text("no zip")

    with pytest.raises(AssetError, match=r"broken\.zip can't be read"):
        content(archive(assets={"in": archive(path=str(file))}))


def changes(old: Any, new: Any) -> list[diff.InputChange]:
    kind = ResourceType("t", {}, frozenset(), (), (), frozenset(), frozenset(), "")
    return diff.compare(kind, {"code": old}, {"code": new}, {})


def test_content_counts_and_not_where_it_lies() -> None:
    here, there = asset(path="/a", hash="1"), asset(path="/b", hash="1")

    assert assets.is_same_asset(here, there)
    assert changes(here, there) == []
    assert not assets.is_same_asset(asset(path="/a"), asset(path="/b"))


def test_other_content_is_one_change_of_the_whole() -> None:
    old = archive(assets={"a": asset(text="1", hash="1")}, hash="1")
    new = archive(assets={"a": asset(text="2", hash="2")}, hash="2")

    assert [(change.text, change.kind) for change in changes(old, new)] == [("code", "update")]
    assert [change.below for change in changes(None, new)] == [()]
