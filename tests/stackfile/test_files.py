"""Stack files on disk: found, too large, unreadable."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuinfra.errors import InputError
from gpuinfra.stackfile import read_stack_file
from tests.stackfile.read_problems import spot


class TestFiles:
    @pytest.mark.parametrize(
        ("data", "message", "place"),
        [
            ("owner: é".encode("latin-1"), "the file is not UTF-8", (1, 8)),
            ("a: 1\n".encode("utf-16"), "the file is UTF-16", (1, 1)),
            (b"a: 1\nb: x\x1b[31m\n", "the file contains a control character", (2, 5)),
            (b"a: \x00\n", "the file contains a control character", (1, 4)),
            (gzip.compress(b"a: 1\n", mtime=0), "the file is compressed (gzip)", (1, 1)),
            (b"PK\x03\x04\x14", "the file is compressed (zip)", (1, 1)),
            (b"\x7fELF\x00\xff", "the file is binary", (1, 1)),
            (b"# x\n" * (1 + 2**20), "the file is larger than 4 MiB", (1, 1)),
        ],
    )
    def test_bytes_that_are_no_text(self, tmp_path, data, message, place):
        (tmp_path / "stack.yaml").write_bytes(data)

        with pytest.raises(InputError) as caught:
            read_stack_file(tmp_path)

        [problem] = caught.value.problems
        assert problem.message == message
        assert spot(problem) == place

    def test_a_byte_order_mark_is_fine(self, tmp_path, small):
        (tmp_path / "stack.yaml").write_bytes(b"\xef\xbb\xbf" + small.encode())

        document = read_stack_file(tmp_path)

        assert document.path == tmp_path / "stack.yaml"
        assert document.locate(("version",)).column == 10

    def test_windows_line_ends_are_fine(self, tmp_path, small):
        (tmp_path / "stack.yaml").write_bytes(small.replace("\n", "\r\n").encode())

        assert read_stack_file(tmp_path).locate(("owner",)).line == 3

    def test_the_folder_is_here_by_default(self, tmp_path, small, monkeypatch):
        (tmp_path / "stack.yaml").write_text(small, encoding="utf-8")
        monkeypatch.chdir(tmp_path)

        assert read_stack_file().path == Path("stack.yaml")

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda at: at.mkdir(), "has neither stack.yaml nor Pulumi.yaml"),
            (lambda at: at.symlink_to(at), "is a symbolic link that leads to itself"),
            (lambda _: None, "does not exist"),
            (os.mkfifo, "is not a text file"),
        ],
    )
    def test_what_is_no_file(self, tmp_path, make, message):
        make(tmp_path / "it")

        with pytest.raises(InputError, match=message):
            read_stack_file(tmp_path / "it")

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("Pulumi.yaml", "is a Pulumi program without stack.yaml"),
            ("stack.yml", "has stack.yml, not stack.yaml"),
        ],
    )
    def test_a_folder_with_something_else(self, tmp_path, name, message):
        (tmp_path / name).touch()

        with pytest.raises(InputError, match=message):
            read_stack_file(tmp_path)

    def test_subfolders_with_a_stack_or_a_program_are_named(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for file in ("in/a/Pulumi.yaml", "in/b/stack.yaml", "in/b/Pulumi.yaml", "in/c/x.yaml"):
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).touch()

        with pytest.raises(InputError) as caught:
            read_stack_file("in")

        assert "or its folder: in/a, in/b; `gpuinfra init" in caught.value.problems[0].fix

    @pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
    def test_a_name_that_no_file_can_have(self, path):
        with pytest.raises(InputError) as caught:
            read_stack_file(path)

        assert len(str(caught.value)) < 300

    def test_a_file_without_permission(self, tmp_path, small, monkeypatch):
        file = tmp_path / "stack.yaml"
        file.write_text(small, encoding="utf-8")
        file.chmod(0)
        if os.access(file, os.R_OK):  # root reads everything

            def refuse(*_args, **_more):
                raise PermissionError(13, "Permission denied")

            monkeypatch.setattr(Path, "open", refuse)

        with pytest.raises(InputError, match="can't be read: permission denied"):
            read_stack_file(file)


def test_reading_loads_little():
    heavy = ["jsonschema", "difflib", "pulumi", "click", "rich", "boto3"]
    script = (
        "import sys\nfrom gpuinfra.stackfile import loads\n"
        "loads('version: 1\\nname: ab\\nowner: me\\nwhere: {cloud: aws, regions: [a]}\\n"
        "buckets: {b: {}}')\n"
        f"print(*[one for one in {heavy} if one in sys.modules])"
    )

    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert process.stdout.split() == []
