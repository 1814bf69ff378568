"""Plain `pulumi up` and policy packs through the stand-in language host, on the real engine."""

import json

import pytest

pytestmark = pytest.mark.e2e

PROGRAM = """
import os
import pulumi
from words import GREETING

class Thing(pulumi.ComponentResource):
    def __init__(self, name, size):
        super().__init__("demo:index:Thing", name, {"size": size})
        self.register_outputs({})

Thing("small", 1)
Thing("large", int(pulumi.Config().get("size") or 5))
pulumi.export("greeting", GREETING)
pulumi.export("folder", os.path.basename(os.getcwd()))
"""

PACK = """
import json, os, pathlib
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy

seen = {
    "folder": os.path.basename(os.getcwd()),
    "stack": sorted({"PULUMI_STACK", "PULUMI_PROJECT", "PULUMI_CONFIG"} & set(os.environ)),
    "backend": "PULUMI_BACKEND_URL" in os.environ,
}
pathlib.Path(os.environ["PACK_SAW"]).write_text(json.dumps(seen))

def small(args, report):
    if args.resource_type == "demo:index:Thing" and args.props["size"] > 10:
        report("too large")

PolicyPack("sizes", enforcement_level=EnforcementLevel.MANDATORY, policies=[
    ResourceValidationPolicy("small", "sizes are small", small),
])
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: demo\nruntime: python\n")
    (folder / "__main__.py").write_text(PROGRAM)
    (folder / "words.py").write_text("GREETING = 'hello'\n")
    return folder


@pytest.fixture
def pack(tmp_path, monkeypatch):
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "PulumiPolicy.yaml").write_text("runtime: python\n")
    (folder / "__main__.py").write_text(PACK)
    monkeypatch.setenv("PACK_SAW", str(tmp_path / "saw.json"))
    return folder


def test_plain_pulumi_up_runs_a_program_in_its_folder(plain_pulumi, project):
    pulumi = plain_pulumi(project)
    pulumi("stack", "init", "dev")

    assert "+ 3 created" in pulumi("up", "--yes").stdout
    assert json.loads(pulumi("stack", "output", "--json").stdout) == {
        "folder": "project",
        "greeting": "hello",
    }
    assert "3 unchanged" in pulumi("up", "--yes", "--skip-preview").stdout
    pulumi("config", "set", "size", "7")
    assert "~ 1 updated" in pulumi("up", "--yes", "--skip-preview").stdout
    assert "- 3 deleted" in pulumi("destroy", "--yes").stdout


def test_a_program_that_fails_fails_the_run(plain_pulumi, project):
    (project / "__main__.py").write_text("raise ValueError('seven')\n")
    pulumi = plain_pulumi(project)
    pulumi("stack", "init", "dev")

    done = pulumi("up", "--yes", check=False)

    assert done.returncode != 0
    assert "seven" in done.stdout + done.stderr


def test_a_pack_runs_through_the_host_as_the_official_one_runs_it(
    plain_pulumi, project, pack, tmp_path
):
    pulumi = plain_pulumi(project)
    pulumi("stack", "init", "dev")
    up = ("up", "--yes", "--skip-preview", "--policy-pack", str(pack))

    assert "+ 3 created" in pulumi(*up).stdout
    saw = json.loads((tmp_path / "saw.json").read_text())
    assert saw == {"folder": "project", "stack": [], "backend": True}

    pulumi("config", "set", "size", "11")
    refused = pulumi(*up, check=False)
    assert refused.returncode != 0
    assert "too large" in refused.stdout
    state = json.loads(pulumi("stack", "export").stdout)["deployment"]["resources"]
    assert [resource["inputs"] for resource in state if resource["urn"].endswith("::large")] == [
        {"size": 5}
    ]


def test_a_pack_runs_through_the_analyzer_shim_where_there_is_no_host(request_for, pack, tmp_path):
    import pulumi

    from gpuinfra.engine import lifecycle
    from gpuinfra.engine.contract import Pack

    def program():
        pulumi.ComponentResource("demo:index:Thing", "large", {"size": 11})

    outcome = lifecycle.up(request_for(program, packs=(Pack(folder=pack),)))

    assert outcome.ending == "refused"
    saw = json.loads((tmp_path / "saw.json").read_text())
    assert saw["folder"] == "pack"
    assert "PULUMI_STACK" in saw["stack"]


def test_the_lifecycle_uses_the_host_where_there_is_one(
    request_for, pack, tmp_path, target, language_host
):
    import os

    import pulumi

    from gpuinfra.engine import lifecycle
    from gpuinfra.engine.contract import Pack, Target

    def program():
        pulumi.ComponentResource("demo:index:Thing", "large", {"size": 11})

    path = os.pathsep.join([os.environ["PATH"], str(language_host)])
    hosted = Target(name="sandbox", environment={**target.environment, "PATH": path})

    outcome = lifecycle.up(request_for(program, target=hosted, packs=(Pack(folder=pack),)))

    assert outcome.ending == "refused"
    assert json.loads((tmp_path / "saw.json").read_text())["stack"] == []
