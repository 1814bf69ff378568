"""File systems once all resources are known."""

from dataclasses import replace
from typing import ClassVar

from gpuinfra.clouds.observing import index
from gpuinfra.clouds.observing.file_system_machines import with_machine_groups
from gpuinfra.clouds.observing.index import ReferenceKeys
from gpuinfra.model import FileSystem, Resource, Rows


class Index(index.Index):
    KEYS: ClassVar[ReferenceKeys] = ReferenceKeys(outputs=("id",), inputs=("name",))


def files(subject):
    return FileSystem(name="f", subject=subject, cloud="any", kind="files", region=None)


def test_one_that_is_in_no_index_stays_as_it_is():
    known = Index([Resource(urn="urn:a", type="files", name="f", inputs={})])
    mine, strange = files("urn:a"), files("urn:b")
    placed = with_machine_groups(
        Rows(file_systems=(mine, strange)),
        known,
        ("files",),
        lambda row, *_: replace(row, group="g"),
    )
    assert list(placed) == [replace(mine, group="g"), strange]


def test_what_is_no_single_resource_is_told_apart():
    told = with_machine_groups(
        Rows(file_systems=(files("urn:b"),)),
        Index(),
        (),
        lambda row, *_: row,
        lambda row: replace(row, name="whole"),
    )
    assert [row.name for row in told] == ["whole"]
