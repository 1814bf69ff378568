"""The file of waivers beside what has no stack file."""

import pytest

from gpuinfra.api.check_settings import WAIVER_FILE, waivers_for
from gpuinfra.errors import InputError
from gpuinfra.pulumi_files import waivers
from tests.pulumi_files.files import put

ONE = "{rule: open-login, resource: gpu, reason: r, owner: ml, until: 2026-12-31}"


def test_it_lies_beside_a_file_and_in_a_folder(tmp_path):
    source = put(tmp_path, "{}", "preview.json")
    assert waivers_for(source) is None
    assert waivers_for(tmp_path) is None
    path = put(tmp_path, f"waivers: [{ONE}]\n", WAIVER_FILE)
    assert waivers_for(source) == waivers_for(tmp_path) == path


def test_each_waiver_is_read_with_its_place(tmp_path):
    filed = waivers.read_waivers(put(tmp_path, f"version: 1\nwaivers:\n  - {ONE}\n", "w.yaml"))
    (waiver,) = filed.form.waivers
    assert (waiver.rule, waiver.resource, str(waiver.until)) == ("open-login", "gpu", "2026-12-31")
    place = filed.spans.locate(("waivers", 0))
    assert (place.line, place.column) == (3, 5)


@pytest.mark.parametrize("text", ["version: 1\n", "waivers: []\n"])
def test_a_file_without_waivers_has_none(tmp_path, text):
    assert waivers.read_waivers(put(tmp_path, text, "w.yaml")).form.waivers == ()


def test_what_is_there_but_no_file_is_not_passed_over(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / WAIVER_FILE).mkdir()
    (tmp_path / WAIVER_FILE).symlink_to("nowhere")
    for folder, words in ((tmp_path / "a", "is not a text file"), (tmp_path, "does not exist")):
        with pytest.raises(InputError, match=words):
            waivers.read_waivers(waivers_for(folder))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty"),
        ("[]\n", 1, "mapping"),
        ("version: 2\n", 1, "version"),
        ("waivers: {}\n", 1, "list"),
        ("waivers:\n  - {rule: open-login}\n", 2, "resource"),
        ("waivers:\n  - open-login\n", 2, "mapping"),
        (f"waivers:\n  - {ONE}\nwaivers: []\n", 3, "waivers"),
        ("budget: {per_hour: 3}\n", 1, "budget"),
        ("a: &a [*a]\n", 1, "a"),
        ("waivers: [\n", 2, ""),
    ],
)
def test_faults_have_their_places(tmp_path, text, line, message):
    with pytest.raises(InputError) as caught:
        waivers.read_waivers(put(tmp_path, text, "w.yaml"))
    first = caught.value.problems[0]
    assert message in first.message
    assert first.position.line == line
