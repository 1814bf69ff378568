import io
import os
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib import resources
from pathlib import Path

import pytest

from gpuinfra.engine import go_build, install, official_installer, versions
from gpuinfra.errors import EngineError

FITTING = "3.250.0"


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def pulumi(folder: Path, version: str = FITTING) -> Path:
    return script(folder / "pulumi", f"echo asked >> {folder}/asked; echo v{version}")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with nothing on it: no Pulumi, no Go, no internet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), "/usr/bin", "/bin"]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GPUINFRA_PULUMI", raising=False)
    monkeypatch.delenv("PULUMI_HOME", raising=False)

    def unreachable(address, **_):
        raise urllib.error.URLError(f"no route to {address}")

    monkeypatch.setattr(urllib.request, "urlopen", unreachable)
    return tmp_path


def fake_go(machine: Path, *, version: str = FITTING, seconds: float = 0, code: int = 0) -> Path:
    """A `go` that "builds" a fake Pulumi of a version, and writes down that it was asked."""
    return script(
        machine / "bin" / "go",
        f"""
echo "$@" >> {machine}/built
sleep {seconds}
[ {code} = 0 ] || {{ echo "go: module lookup refused"; exit {code}; }}
for last in "$@"; do [ "$before" = -o ] && out=$last; before=$last; done
mkdir -p "$(dirname "$out")"
printf '#!/bin/sh\\necho v{version}\\n' > "$out"
chmod 755 "$out"
""",
    )


def test_the_order_is_variable_path_pulumi_home_cache(machine, monkeypatch):
    cached = pulumi(versions.cache_folder() / FITTING / "bin")
    assert install.find().path == cached

    at_home = pulumi(machine / ".pulumi" / "bin")
    assert (install.find().path, install.find().origin) == (at_home, "PULUMI_HOME")

    on_path = pulumi(machine / "bin")
    assert (install.find().path, install.find().origin) == (on_path, "PATH")

    named = pulumi(machine / "own", "3.300.1")
    monkeypatch.setenv("GPUINFRA_PULUMI", str(named))
    engine = install.find()
    assert (engine.path, engine.origin, engine.version) == (named, "GPUINFRA_PULUMI", "3.300.1")


@pytest.mark.parametrize("version", ["3.244.9", "4.0.0", "2.99.0"])
def test_another_version_is_named_and_passed_over(machine, version):
    old = pulumi(machine / "bin", version)

    with pytest.raises(EngineError) as caught:
        install.find()
    assert f"{old} is version {version}; required: 3.245 or newer, below 4" in str(caught.value)

    pulumi(machine / ".pulumi" / "bin")
    assert install.find().origin == "PULUMI_HOME"


@pytest.mark.parametrize("version", ["3.245.0", "3.999.0", "3.250.1-alpha.1"])
def test_versions_that_fit(machine, version):
    pulumi(machine / "bin", version)

    assert install.find().version == version


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo hello", "printed 'hello' instead of a version"),
        ("echo no licence >&2; exit 3", "fails: no licence"),
    ],
)
def test_what_is_no_pulumi_is_named(machine, monkeypatch, text, why):
    path = script(machine / "own" / "pulumi", text)
    monkeypatch.setenv("GPUINFRA_PULUMI", str(path))

    with pytest.raises(EngineError, match=why):
        install.find()


def test_a_missing_file_that_the_variable_names(machine, monkeypatch):
    monkeypatch.setenv("GPUINFRA_PULUMI", "/nowhere/pulumi")

    with pytest.raises(EngineError, match="/nowhere/pulumi: No such file or directory"):
        install.find()


def test_an_executable_is_asked_once_until_it_changes(machine):
    path = pulumi(machine / "bin")
    calls = machine / "bin" / "asked"

    install.find()
    install.find()
    assert len(calls.read_text().split()) == 1

    path.write_text(path.read_text() + "# newer\n")
    install.find()
    assert len(calls.read_text().split()) == 2


def test_the_official_installer_is_asked_first(machine, monkeypatch):
    """Up to its request: a stand-in answers with an installer that writes a fake CLI."""
    addresses = []
    installer = f"""#!/bin/sh
echo "$@" > {machine}/arguments
mkdir -p "$3/bin"
printf '#!/bin/sh\\necho v%s\\n' "$5" > "$3/bin/pulumi"
chmod 755 "$3/bin/pulumi"
"""

    def answer(address, **_):
        addresses.append(address)
        return io.BytesIO(installer.encode())

    monkeypatch.setattr(urllib.request, "urlopen", answer)
    fake_go(machine)

    engine = install.ensure()

    root = versions.cache_folder() / engine.version
    assert engine.path == root / "bin" / "pulumi"
    assert set(addresses) == {official_installer.INSTALLER}
    assert (machine / "arguments").read_text().split() == [
        "--no-edit-path", "--install-root", str(root), "--version", engine.version,
    ]  # fmt: skip
    assert not (machine / "built").exists()


def test_an_installer_that_fails_says_what_it_printed(machine, monkeypatch):
    script_text = b"#!/bin/sh\necho error: this system is not supported\nexit 1\n"
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: io.BytesIO(script_text))

    with pytest.raises(EngineError, match="this system is not supported"):
        install.ensure()


def test_an_address_that_never_answers_costs_seconds(machine, monkeypatch):
    monkeypatch.setattr(official_installer, "REACH_SECONDS", -0.5)
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: time.sleep(5))

    began = time.monotonic()
    with pytest.raises(EngineError, match="did not answer within"):
        install.ensure()
    assert time.monotonic() - began < 4


def test_go_builds_it_where_the_download_cannot_be_reached(machine):
    fake_go(machine)
    messages = []

    engine = install.ensure(messages.append)

    assert engine.path == versions.cache_folder() / FITTING / "bin" / "pulumi"
    assert engine.path.stat().st_mode & stat.S_IXUSR
    assert any("4 to 13 minutes" in line for line in messages)
    arguments = (machine / "built").read_text()
    assert f"Version=v{FITTING}" in arguments
    assert go_build.PACKAGE in arguments
    assert sorted(path.name for path in versions.cache_folder().iterdir()) == [
        ".lock", FITTING, "go-build.log", "versions.json",
    ]  # fmt: skip


def test_everything_that_failed_is_in_one_error(machine):
    pulumi(machine / "bin", "3.100.0")
    fake_go(machine, code=1)

    with pytest.raises(EngineError) as caught:
        install.ensure()

    text = str(caught.value)
    for part in (
        "GPUINFRA_PULUMI: not set",
        "3.100.0",
        f"no {machine}/.pulumi/bin/pulumi",
        "the official installer: https://get.pulumi.com/install.sh: no route to",
        "fix: allow access to get.pulumi.com",
        "a build with Go: go build failed: go: module lookup refused",
        "go-build.log",
        "fix: allow Go to reach a module proxy",
    ):
        assert part in text


def test_no_go_is_a_way_that_failed_too(machine):
    with pytest.raises(EngineError, match=r"install Go 1\.25 or newer and put it on PATH"):
        install.ensure()


def test_a_build_of_the_wrong_version_is_not_kept(machine):
    fake_go(machine, version="1.0.0")

    with pytest.raises(EngineError, match=r"is version 1\.0\.0"):
        install.ensure()
    assert not list(versions.cache_folder().glob("*/bin/pulumi"))


RACER = "from gpuinfra.engine import install; print(install.ensure(print).path)"


def test_two_runs_that_race_make_one_build(machine):
    fake_go(machine, seconds=1)
    # Port 9 of this machine answers nobody: the racers must not reach the real installer.
    environment = {**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9"}
    command = [sys.executable, "-c", RACER]
    runs = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [run.communicate(timeout=60)[0].splitlines() for run in runs]

    binary = versions.cache_folder() / FITTING / "bin" / "pulumi"
    assert [lines[-1] for lines in outputs] == [str(binary)] * 2
    assert len((machine / "built").read_text().splitlines()) == 1
    assert any("waiting for it" in line for lines in outputs for line in lines)


def test_the_module_file_and_the_code_name_one_version():
    module = (resources.files("gpuinfra.engine") / "gomodule" / "go.mod").read_text("utf-8")

    assert f"github.com/pulumi/pulumi/pkg/v3 v{go_build.VERSION}" in module
    assert "tool github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" in module
