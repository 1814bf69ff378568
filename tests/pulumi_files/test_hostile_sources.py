"""What somebody may name as SOURCE or beside it to hurt: refused in words, nothing of it run."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuinfra.cli import run
from gpuinfra.crossguard.policy_settings import ROOT
from tests.pulumi_files.files import digest, entry, put, state, step, urn

SOUND = state(entry())
STACK = "version: 1\nname: shop\nowner: ml\nwhere: {cloud: aws, regions: [us-east-1]}\n"


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Checks, expects bad input, and gives what is said of it."""

    def checked(*arguments: object) -> str:
        code = run(["check", *map(str, arguments)])
        captured = capsys.readouterr()
        assert code == 2, captured
        assert captured.out == ""
        assert "Traceback" not in captured.err
        assert len(captured.err) < 4_000, "bounded, whatever the file holds"
        return captured.err

    return checked


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def circle(folder: Path) -> Path:
    (folder / "circle").symlink_to("circle")
    return folder / "circle"


def device(_: Path) -> Path:
    return Path("/dev/zero")


def folder_of_nothing(folder: Path) -> Path:
    return folder


def dangling(folder: Path) -> Path:
    (folder / "link").symlink_to("nowhere")
    return folder / "link"


NO_FILES = {
    pipe: "is not a text file",
    circle: "is a symbolic link that leads to itself",
    device: "is not a text file",
    dangling: "does not exist",
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("made", NO_FILES, ids=lambda made: made.__name__)
@pytest.mark.parametrize("option", ["SOURCE", "--settings", "--stack", "--waivers"])
def test_what_is_no_file_is_refused_unread(tmp_path, check, made, option):
    path = made(tmp_path)
    beside = [] if option == "SOURCE" else [put(tmp_path, SOUND), option]
    assert NO_FILES[made] in check(*beside, path)


def test_a_link_to_a_sound_file_is_that_file(tmp_path, capsys):
    put(tmp_path, SOUND, "real.json")
    (tmp_path / "link.json").symlink_to("real.json")
    assert run(["check", str(tmp_path / "link.json")]) == 1
    assert "1 resource of pulumi stack export" in capsys.readouterr().out


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghijk", "bcdefghijkl", strict=True)
)
BOMBS = {
    "aliases": (LAUGHS, "repeat too many values"),
    "an alias in itself": ("a: &a {b: *a}\n", "contains itself"),
    "deep brackets": ("a: " + "[" * 5_000, "nested more than 32 deep"),
    "deep mappings": ("a: " + "{b: " * 2_000, "nested more than 32 deep"),
    "deep lines": (
        "a:\n" + "".join(" " * depth + "a:\n" for depth in range(1, 200)),
        "nested more than 32 deep",
    ),
    "one long line": ("a: " + "x" * 20_000, "longer than 10,000 characters"),
    "a large file": ("# " + "x" * 100 + "\n", "larger than 4 MiB"),
    "code": ("a: !!python/object/apply:os.system ['touch ran']\n", "YAML tags are not supported"),
    "control characters": ("a: \x1b[31m\n", "a control character"),
    "a nul": ("a: \0\n", "a control character"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("option", ["SOURCE", "--settings", "--waivers"])
def test_yaml_that_grows_is_refused_before_it_does(tmp_path, monkeypatch, check, bomb, option):
    monkeypatch.chdir(tmp_path)
    text, words = BOMBS[bomb]
    text *= 50_000 if bomb == "a large file" else 1
    if option == "SOURCE":
        refusal = check(put(tmp_path, STACK + text, "stack.yaml"))
    else:
        refusal = check(put(tmp_path, SOUND), option, put(tmp_path, text, "beside.yaml"))
    assert words in refusal
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["stack.yaml", "state.json"])
def test_bytes_that_are_no_text_are_told_with_their_place(tmp_path, check, name):
    sound = STACK if name == "stack.yaml" else json.dumps(SOUND)
    text = check(put(tmp_path, sound.encode() + b"\xff\xfe\xfa", name))
    assert "the file is not UTF-8" in text


def circular(**more: object) -> dict:
    return state(entry("a", **more), entry("b", parent=urn("a")))


@pytest.mark.parametrize(
    "document",
    [
        circular(parent=urn("b")),
        circular(propertyDependencies={"launchTemplate": [urn("b")]}),
        circular(propertyDependencies={"launchTemplate": [urn("a")]}),
        digest(
            step("a", newState=entry("a", parent=urn("b"))),
            step("b", newState=entry("b", parent=urn("a"))),
        ),
    ],
    ids=["parents", "a parent's property", "itself", "a preview"],
)
def test_what_hangs_on_itself_is_refused(tmp_path, check, document):
    assert "depends on itself, through parents or property dependencies" in check(
        put(tmp_path, document)
    )


def test_a_key_that_stands_twice_hides_nothing(tmp_path, check):
    sound = json.dumps(state(entry(inputs={"associatePublicIpAddress": True})))
    both = sound.replace(
        '"associatePublicIpAddress": true',
        '"associatePublicIpAddress": true, "associatePublicIpAddress": false',
    )
    assert "appears twice in one mapping" in check(put(tmp_path, both))


def test_more_values_than_any_stack_has_are_refused(tmp_path, monkeypatch, check):
    from gpuinfra.pulumi_files import property_values

    monkeypatch.setattr(property_values, "MAX_VALUES", 1_000)
    many = state(*(entry(f"n{number}", inputs={"a": [[]] * 100}) for number in range(20)))
    assert "more than 1,000 values, the maximum" in check(put(tmp_path, many))


HOP = "metadata-hop-limit"
WRONG_WORDS = {
    "a level for settings": ("rules", {HOP: {"workloads": {"x": "advisory"}}}),
    "a list of workloads": ("rules", {HOP: {"workloads": ["x"]}}),
    "a long text for workloads": ("rules", {HOP: {"workloads": "x" * 5_000}}),
    "a workload of nothing": ("rules", {HOP: {"workloads": {"x": None}}}),
    "workloads in workloads": ("rules", {HOP: {"workloads": {"x": {"workloads": {}}}}}),
    "an infinite limit": ("rules", {HOP: {"maximum": "INFINITE"}}),
    "an infinite limit of a workload": (
        "rules",
        {HOP: {"workloads": {"x": {"maximum": "INFINITE"}}}},
    ),
    "a limit of too many digits": ("rules", {HOP: {"maximum": "9" * 5_000}}),
    "a limit in a long list": ("rules", {"owner-label": {"owner": [1] * 5_000}}),
    "an infinite cap": ("rules", {"cap-per-workload": {"per_hour": "INFINITE"}}),
    "a cap of too many digits": ("rules", {"cap-per-workload": {"per_hour": "1e999999"}}),
    "a waiver without end": ("rules", {"waiver": {"most_days": "INFINITE"}}),
    "a level that is none": ("rules", {HOP: {"level": ["mandatory"]}}),
    "a rule that is a level": ("rules", {HOP: "advisory"}),
    "a list of rules": ("rules", [HOP]),
    "a budget that is a number": ("budget", 3),
    "an infinite budget": ("budget", {"perHour": "INFINITE"}),
    "prices that are text": ("prices", "cheap"),
    "prices that never age": ("prices", {"outdatedAfterDays": "INFINITE"}),
    "usage that is a list": ("usage", ["hours"]),
    "usage of something else": ("usage", {"hours": {"x": {}}}),
    "a waiver that is text": ("waivers", ["public-address"]),
    "own prices that are a mapping": ("ownPrices", {"x": 1}),
}
"""By what is wrong, an input of a program's root component."""


@pytest.mark.parametrize("fault", WRONG_WORDS)
def test_what_a_program_says_in_another_form_is_refused_in_words(tmp_path, check, fault):
    key, value = WRONG_WORDS[fault]
    root = entry("shop", ROOT, custom=False, provider="", inputs={key: value})
    text = json.dumps(state(root, entry())).replace('"INFINITE"', "1e400")
    words = check(put(tmp_path, text))
    names = (key, *value) if isinstance(value, dict) else (key,)
    assert any(name in words for name in names)


CODE = "open('ran', 'w').write('ran')\nraise SystemExit(0)\n"


@pytest.mark.slow
def test_no_code_beside_a_checked_file_is_run(tmp_path):
    for name in ("__main__.py", "sitecustomize.py", "pulumi.py", "json.py", "yaml.py", "hook.sh"):
        put(tmp_path, CODE, name)
    put(tmp_path, "name: shop\nruntime: python\n", "Pulumi.yaml")
    path = put(tmp_path, SOUND)
    script = "import sys; from gpuinfra.cli import run; sys.exit(run(sys.argv[1:]))"
    # As the installed command does it, Python is not told to look for modules in the folder.
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, "check", str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_check_says_as_little_of_many_findings_as_of_few(tmp_path, capsys):
    written = []
    for count in (200, 2_000):
        many = state(*(entry(f"n{number}") for number in range(count)))
        assert run(["check", str(put(tmp_path, many))]) == 1
        written.append(len(capsys.readouterr().out))
    few, many = written
    assert many < few + 200, "only the counts grow"


MANY = """
import json, resource, sys
from pathlib import Path
from gpuinfra.cli import run
path, each = Path(sys.argv[1]), sys.argv[2]
entry = {"custom": True, "type": "aws:ec2/instance:Instance", "provider": "p::i", "id": "i"}
with path.open("w") as file:
    file.write('{"version": 3, "deployment": {"resources": [')
    for number in range(10_000):
        urn = f"urn:pulumi:dev::shop::aws:ec2/instance:Instance::n{number}"
        one = json.dumps({**entry, "urn": urn, "inputs": "INPUTS"}).replace('"INPUTS"', each)
        file.write(("," if number else "") + one)
    file.write("]}}")
assert path.stat().st_size > 100_000_000, path.stat().st_size
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
code = run(["check", str(path)])
print(code, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
HUNDRED = {
    "text": ('{"userData": "' + "x" * 10_000 + '"}', 1, 400),
    "small values": ('{"a": [' + ",".join(["[]"] * 3_400) + "]}", 2, 1_024),
}


@pytest.mark.soak
@pytest.mark.parametrize("kind", HUNDRED)
def test_a_hundred_megabytes_stay_within_a_gibibyte(tmp_path, kind):
    each, code, most = HUNDRED[kind]
    done = subprocess.run(
        [sys.executable, "-c", MANY, str(tmp_path / "big.json"), each],
        check=True,
        capture_output=True,
        text=True,
    )
    ended, mebibytes = map(int, done.stdout.splitlines()[-1].split())
    assert ended == code, done.stderr
    assert mebibytes < most
