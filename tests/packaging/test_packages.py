"""A wheel and a source distribution are built, installed apart, and work."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import gpuinfra

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The two packages of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@pytest.fixture(scope="module", params=["wheel", "sdist"])
def installed(request, built, tmp_path_factory):
    """The bin folder of an environment that has one of them, and borrows the libraries of ours."""
    folder = tmp_path_factory.mktemp(request.param) / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"])
    command = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    alone = ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, *alone, str(built[request.param])], check=True)
    return folder / "bin"


def run(installed, *arguments, **settings):
    """What an installed command prints, run away from the checkout."""
    return subprocess.run(
        [installed / "gpuinfra", *map(str, arguments)],
        cwd=installed,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200", **settings},
    )


def test_it_is_of_this_version_and_stands_apart(installed):
    code = "import gpuinfra; print(gpuinfra.__file__)"
    where = subprocess.run(
        [installed / "python", "-c", code],
        cwd=installed,
        capture_output=True,
        text=True,
        check=True,
    )

    assert Path(where.stdout.strip()).is_relative_to(installed.parent)
    assert run(installed, "--version").stdout == f"gpuinfra {gpuinfra.__version__}\n"


def test_it_brings_the_stack_of_the_quickstart_the_packs_and_the_glossary(installed):
    (site,) = installed.parent.glob("lib/python*/site-packages")
    stack = site / "gpuinfra/stacks/quickstart"
    done = run(installed, "check", stack)

    assert done.returncode == 0, done.stderr
    assert (site / "gpuinfra/packs/all/PulumiPolicy.yaml").is_file()
    assert run(installed, "explain", "rung").stdout.startswith("rung: one way to buy")
    assert run(installed, "init", installed.parent / "my-stack").returncode == 0


def test_the_version_comes_from_one_place(built):
    assert f"gpuinfra-{gpuinfra.__version__}" in built["wheel"].name
    assert built["sdist"].name == f"gpuinfra-{gpuinfra.__version__}.tar.gz"


def test_they_hold_what_they_need_and_no_more(built):
    with zipfile.ZipFile(built["wheel"]) as wheel:
        tops = {name.partition("/")[0] for name in wheel.namelist()}
    with tarfile.open(built["sdist"]) as sdist:
        inside = {name.split("/")[1] for name in sdist.getnames() if "/" in name}

    assert tops == {"gpuinfra", f"gpuinfra-{gpuinfra.__version__}.dist-info"}
    assert {"gpuinfra", "policies", "stacks", "tests", "Makefile", "README.md"} <= inside
    assert not inside & {".venv", ".git", "dist"}


@pytest.mark.e2e
def test_the_quickstart_of_an_installed_package_runs(installed, tmp_path):
    done = run(installed, "quickstart", GPUINFRA_SANDBOX_HOME=str(tmp_path / "sandbox"))
    run(installed, "sandbox", "stop", GPUINFRA_SANDBOX_HOME=str(tmp_path / "sandbox"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "[7/7] destroy" in done.stdout
