import json

from gpuinfra.engine.contract import Diagnostic
from gpuinfra.engine.program_preview import diagnostics

URN = "urn:pulumi:dev::town::aws:s3/bucket:Bucket::b"


def error(message, urn=""):
    return Diagnostic(severity="error", message=message, urn=urn)


def of(tmp_path, written, wrote=""):
    digest = tmp_path / "preview.json"
    digest.write_text(json.dumps({"diagnostics": written}))
    return diagnostics.read(digest, wrote)


def test_errors_are_listed_once_and_warnings_not(tmp_path):
    read = of(
        tmp_path,
        [
            {"severity": "warning", "message": "warning: using a plugin"},
            {"severity": "error", "message": "error: too large\n", "urn": URN},
            {"severity": "error", "message": "error: too large\n", "urn": URN},
            {"severity": "error", "message": "error: preview failed\n"},
        ],
    )

    assert read == (error("too large", URN), error("preview failed"))


def test_faults_of_a_yaml_program_get_their_places(tmp_path):
    lines = [
        "warning: using a plugin\n\n",
        "\x1b[31mError\x1b[0m: no such name\n\n",
        "  on Pulumi.yaml line 6:\n\n",
        "   6:     bucket: ${no}\n\n",
        "\x1b[31mError\x1b[0m: nowhere\n\n",
        "\x1b[31mError\x1b[0m: at the end\n\n",
    ]
    read = of(tmp_path, [{"severity": "info#err", "message": line} for line in lines])

    assert read == (error("Pulumi.yaml:6: no such name"), error("nowhere"), error("at the end"))


def test_the_error_stream_is_read_where_the_engine_writes_no_preview(tmp_path):
    wrote = (
        "warning: using a plugin\n\x1b[31merror: \x1b[0mone thing\n  and more of it\n"
        "warning: further\nerror: another\nerror: \n"
    )
    expected = (error("one thing\n  and more of it"), error("another"))

    assert diagnostics.read(tmp_path / "none.json", wrote) == expected
    (tmp_path / "half.json").write_text('{"diagnostics": [')
    assert diagnostics.read(tmp_path / "half.json", wrote) == expected


def test_a_preview_without_complaints(tmp_path):
    assert of(tmp_path, None) == ()


def test_a_crash_of_the_engine_is_told_in_its_words(tmp_path):
    wrote = "panic: attempt to encrypt value\n\ngoroutine 45 [running]:\nconfig.crypt(...)\n"

    assert of(tmp_path, [], wrote) == (error("it crashed: attempt to encrypt value"),)
