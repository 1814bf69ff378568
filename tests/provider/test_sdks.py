"""The SDKs of the package in TypeScript and Go: generated from the schema, compiled, and used."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import pytest

from gpuinfra import provider, sandbox
from gpuinfra.engine.contract import Engine
from gpuinfra.engine.go_build import VERSION

GENERATOR = Path(__file__).with_name("generator") / "main.go"
SCHEMA = Path(provider.__file__).with_name("schema.json")
HOME = Path.home()
"""The user's own, looked for before anything is isolated: what Go and npm fetched is there."""

pytestmark = pytest.mark.slow

GO_MODULE = f"""
module example.com/pulumi-gpuinfra/sdk/go

go 1.25

require github.com/pulumi/pulumi/sdk/v3 v{VERSION}
"""

PROGRAM = """
import * as automation from "@pulumi/pulumi/automation";
import * as gpuinfra from "./index";

async function program() {
    const data = new gpuinfra.DataBucket("data", { region: "us-east-1" });
    const trainer = new gpuinfra.TrainingCluster("trainer", {
        region: "us-east-1",
        instance: "g6.8xlarge",
        nodes: 2,
        capacity: "spot",
        duration: "4h",
        checkpoints: { bucket: "data", every: "10m" },
        buckets: { data: data.bucketName },
    });
    return { group: trainer.groupName };
}

async function main() {
    const stack = await automation.LocalWorkspace.createOrSelectStack({
        stackName: "sandbox", projectName: "typed", program,
    });
    await stack.setConfig("aws:region", { value: "us-east-1" });
    const made = await stack.up();
    const again = await stack.up();
    const gone = await stack.destroy();
    console.log("ANSWER " + JSON.stringify({
        group: made.outputs.group.value,
        made: made.summary.resourceChanges,
        again: again.summary.resourceChanges,
        gone: gone.summary.resourceChanges,
    }));
}

main().catch((error) => { console.error(error); process.exit(1); });
"""


def ran(
    *command: str, folder: Path, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool of a language with the user's own caches."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} on PATH")
    environment = {**os.environ, "HOME": str(HOME), "GOWORK": "off", "GOFLAGS": "-mod=mod"}
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment, **(more or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def go_sum(folder: Path) -> None:
    """Give a module in Go the sums that are known of everything it may need."""
    text = (resources.files("gpuinfra.engine") / "gomodule" / "go.sum").read_text("utf-8")
    (folder / "go.sum").write_text(text)


@pytest.fixture(scope="module")
def sdks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the SDKs, by language."""
    folder = tmp_path_factory.mktemp("generator")
    shutil.copy(GENERATOR, folder)
    module = (resources.files("gpuinfra.engine") / "gomodule" / "go.mod").read_text("utf-8")
    (folder / "go.mod").write_text(module)
    go_sum(folder)
    made = folder / "sdks"
    done = ran("go", "run", ".", str(SCHEMA), str(made), folder=folder)
    if done.returncode and "dial tcp" in done.stderr:
        pytest.skip(f"Go reaches no modules: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def typescript(sdks: Path) -> Path:
    """The SDK in TypeScript, with all that it needs."""
    folder = sdks / "nodejs"
    done = ran("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", folder=folder)
    if done.returncode:
        pytest.skip(f"npm reaches no registry: {done.stderr[-300:]}")
    return folder


def test_the_sdk_in_go_compiles(sdks: Path) -> None:
    folder = sdks / "go"
    (folder / "go.mod").write_text(GO_MODULE)
    go_sum(folder)

    for verb in ("build", "vet"):
        done = ran("go", verb, "./...", folder=folder)
        assert done.returncode == 0, done.stderr


def test_the_sdk_in_typescript_compiles(typescript: Path) -> None:
    done = ran("npx", "tsc", "--noEmit", folder=typescript)

    assert done.returncode == 0, done.stdout


@pytest.mark.e2e
def test_a_program_in_typescript_lives(
    typescript: Path, engine: Engine, sandbox_home: Path, tmp_path: Path
) -> None:
    variables = sandbox.environment()
    path = os.pathsep.join([variables["PATH"], str(engine.path.parent)])
    (typescript / "program.ts").write_text(PROGRAM)

    done = ran(
        *("npx", "tsc", "--outDir", "bin", "--module", "nodenext", "--target", "ES2022"),
        *("--moduleResolution", "nodenext", "--skipLibCheck", "--types", "node", "program.ts"),
        folder=typescript,
    )
    assert done.returncode == 0, done.stdout
    shutil.copy(typescript / "package.json", typescript / "bin")  # as the SDK's own build does
    home = {"PULUMI_HOME": str(tmp_path / "home")}
    done = ran(
        "node", "bin/program.js", folder=typescript, more={**variables, **home, "PATH": path}
    )

    assert done.returncode == 0, done.stderr + done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    answer = json.loads(line.removeprefix("ANSWER "))
    assert answer["group"].startswith("trainer-group")
    assert answer["again"] == {"same": answer["made"]["create"]}
    assert answer["gone"] == {"delete": answer["made"]["create"]}
    assert sandbox.existing_resources() == []
