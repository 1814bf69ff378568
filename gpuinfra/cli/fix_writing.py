"""The text of a stack file with a fix applied, and the replacement of the file."""

from gpuinfra import stackfile
from gpuinfra.cli.new_files import write_errors
from gpuinfra.errors import ChangedFileError, InputError, Problem
from gpuinfra.fixes import Fix
from gpuinfra.fixes.stack_file_edits import write
from gpuinfra.stackfile.syntax import text_of


def new_text(document: stackfile.StackDocument, fix: Fix) -> str:
    """Return the text of a stack file with the edits of a fix applied.

    Raises:
        InputError: they can't be written into it.
    """
    try:
        return write(document.text, fix.edits)
    except InputError as error:
        by_hand = tuple(
            Problem(
                message=problem.message,
                path=problem.path,
                fix=f"edit by hand: {'; '.join(map(str, fix.edits))}",
            )
            for problem in error.problems
        )
        raise InputError(stackfile.with_positions(by_hand, document)) from None


def replace_stack_file(document: stackfile.StackDocument, text: str) -> None:
    """Replace the file that was read with the text; its byte order mark and permissions stay.

    Raises:
        InputError: it can't be written.
        ChangedFileError: it changed since it was read.
    """
    from gpuinfra.atomic_write import write_atomically  # noqa: PLC0415  (writes whole files)

    path = document.path
    with write_errors("fix", path, "make the file writable, or edit it by hand"):
        resolved_path = path.resolve()
        data = resolved_path.read_bytes()
        if text_of(data, str(path))[0] != document.text:
            raise ChangedFileError(f"{path} changed after it was read; no change was written")
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        write_atomically(resolved_path, mark + text.encode("utf-8"))
