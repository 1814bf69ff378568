"""Which file something is, by what it holds; and what is no such file."""

import codecs
import json
import os

import pytest

from gpuinfra import pulumi_files
from gpuinfra.errors import InputError
from tests.pulumi_files.files import digest, pre, put, state, step, stream, summary

STACK_FILE = {"version": 1, "name": "x", "where": {"cloud": "aws"}}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (digest(step()), "digest"),
        ({"steps": []}, "digest"),
        (stream(pre(), summary(create=1)), "stream"),
        (state(), "state"),
        ({"deployment": {}, "version": 3}, "state"),
        (STACK_FILE, "stackfile"),
        ("name: x\n", "stackfile"),
        ("{name: x}", "stackfile"),
        ("", "none"),
        ("[1]", "none"),
        ({"something": 1}, "none"),
        ({"version": 3, "checkpoint": {}}, "none"),
        ({"format_version": "1.2", "planned_values": {}}, "none"),
    ],
)
def test_the_kind_is_told_by_the_content(tmp_path, content, kind):
    assert pulumi_files.detect_kind(put(tmp_path, content, "anything.txt")) == kind


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("  \n", "is empty"),
        ({"version": 3, "checkpoint": {}}, "is a checkpoint from a backend's folder"),
        ({"manifest": {}, "resources": []}, "is a deployment without its envelope"),
        ({"format_version": "1.2"}, "is a Terraform plan"),
        ({"version": 4, "terraform_version": "1.9"}, "is a Terraform state"),
        ({"a": 1}, "is neither a stack file nor output of pulumi"),
        ("[1]", "is neither a stack file nor output of pulumi"),
    ],
)
def test_what_is_none_of_the_files_is_named(tmp_path, content, message):
    path = put(tmp_path, content)
    with pytest.raises(InputError) as caught:
        pulumi_files.read(path)
    assert caught.value.problems[0].message == f"{path} {message}"
    assert caught.value.problems[0].fix


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (codecs.BOM_UTF8, "utf-8"), (b"", "utf-16")],
)
def test_a_file_that_powershell_wrote(tmp_path, mark, encoding):
    data = mark + json.dumps(digest(step())).encode(encoding)
    assert len(pulumi_files.read(put(tmp_path, data)).resources) == 1


def test_a_file_that_is_not_utf_8(tmp_path):
    data = json.dumps(digest(step("käse")), ensure_ascii=False).encode("latin-1")
    with pytest.raises(InputError) as caught:
        pulumi_files.read(put(tmp_path, data))
    assert "UTF-8" in caught.value.problems[0].message


@pytest.mark.parametrize("name", ["folder", "missing", "pipe"])
def test_what_is_no_file(tmp_path, name):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError):
        pulumi_files.read(tmp_path / name)
