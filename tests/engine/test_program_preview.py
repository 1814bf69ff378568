"""Programs previewed by the real engine in processes of their own, with nothing left behind."""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

from gpuinfra import pulumi_files
from gpuinfra.engine.program_preview import preview_of, yaml_host
from gpuinfra.engine.program_preview.configuration import PLACEHOLDER
from gpuinfra.engine.versions import cache_folder
from gpuinfra.errors import CloudError, EngineError, InputError
from gpuinfra.model import UNKNOWN, Caps
from gpuinfra.planning import from_resources

pytestmark = pytest.mark.e2e

HOST = shutil.which(yaml_host.NAME) or next(map(str, cache_folder().glob("yaml-*/bin/*")), None)
"""The user's host of YAML programs, looked for before anything is isolated."""

PROJECT = "name: town\nruntime: python\n"
REGION = {"aws:region": "us-east-1"}
RAW = """
import pulumi
class Raw(pulumi.CustomResource):
    def __init__(self, type_, name, **props):
        super().__init__(type_, name, {**props, "arn": None, "id": None})
"""
"""A resource of any type without its SDK, which takes seconds to import."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where temporary folders are made; it is empty again at the end, and nobody works there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []
    deadline = time.monotonic() + 10
    while left := working_in(folder):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def working_in(folder):
    """The commands of processes that have to do with a folder."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in words:
            commands.append(words[:200])
    return commands


@pytest.fixture
def preview(place, tmp_path):
    """Writes a program and previews it: preview(code, config) gives what the file shows."""
    folder, into = tmp_path / "town", tmp_path / "into"
    folder.mkdir()
    into.mkdir()

    class Preview:
        def __call__(self, code=None, config=REGION, project=PROJECT, **more):
            (folder / "Pulumi.yaml").write_text(project)
            if code is not None:
                (folder / "__main__.py").write_text(code)
            before = sorted(folder.rglob("*"))
            self.notes, self.messages = [], []
            try:
                path = preview_of(
                    folder,
                    config=config,
                    note=self.notes.append,
                    into=into,
                    say=self.messages.append,
                    **more,
                )
            finally:
                assert sorted(folder.rglob("*")) == before
            return pulumi_files.read(path)

    runner = Preview()
    runner.folder = folder
    return runner


def by_name(shown):
    return {resource.name: resource for resource in shown.resources}


def test_a_program_is_shown_with_its_relations_and_outputs(preview, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_TOKEN", "x")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("STAGE", "test")
    home = tmp_path / "sandbox of the person"
    monkeypatch.setenv("GPUINFRA_SANDBOX_HOME", str(home))
    shown = preview(
        RAW + "import json, os\n"
        "data = Raw('aws:s3/bucket:Bucket', 'data')\n"
        "Raw('aws:s3/bucketVersioning:BucketVersioning', 'versions', bucket=data.id,\n"
        "    versioningConfiguration={'status': 'Enabled'})\n"
        "Raw('aws:sagemaker/domain:Domain', 'new', domainName='d')\n"
        "pulumi.export('where', os.getcwd())\n"
        "pulumi.export('saw', sorted({'MY_TOKEN', 'STAGE'} & set(os.environ)))\n"
        "pulumi.export('key', os.environ['AWS_ACCESS_KEY_ID'])\n"
        "pulumi.export('hidden', pulumi.Output.secret('s3cret'))\n"
        "pulumi.export('stack', pulumi.get_stack())\n"
    )

    resources = by_name(shown)
    assert (shown.kind, shown.name) == ("digest", "town/dev")
    assert resources["data"].region == "us-east-1"
    assert resources["versions"].relations["bucket"] == (resources["data"].urn,)
    assert resources["new"].type == "aws:sagemaker/domain:Domain"
    assert shown.outputs == {
        "where": str(preview.folder),
        "saw": ["STAGE"],
        "key": "sandbox",
        "hidden": UNKNOWN,
        "stack": "dev",
    }
    assert preview.messages == [
        (
            f"running the code of {preview.folder} (python) for a preview of stack dev: sandbox "
            "plugins, an empty state, no credentials"
        )
    ]
    assert not home.exists()


def test_what_a_program_reads_is_there_and_unknown(preview):
    shown = preview(
        "import pulumi\n"
        "class Raw(pulumi.CustomResource):\n"
        "    def __init__(self, type_, name, opts=None, **props):\n"
        "        super().__init__(type_, name, {**props, 'arn': None}, opts)\n"
        "vpc = Raw('aws:ec2/vpc:Vpc', 'net', pulumi.ResourceOptions(id='vpc-0123456789abcdef0'))\n"
        "Raw('aws:ec2/securityGroup:SecurityGroup', 'box', vpcId=vpc.id, description=vpc.arn)\n"
    )

    assert by_name(shown).keys() == {"box"}
    assert by_name(shown)["box"].inputs["description"] is UNKNOWN


def test_what_a_program_imports_counts_as_it_declares_it(preview):
    shown = preview(
        "import pulumi\n"
        "class Raw(pulumi.CustomResource):\n"
        "    def __init__(self, type_, name, opts=None, **props):\n"
        "        super().__init__(type_, name, {**props, 'arn': None}, opts)\n"
        "Raw('aws:ec2/vpc:Vpc', 'net', pulumi.ResourceOptions(import_='vpc-0123456789abcdef0'),\n"
        "    cidrBlock='10.0.0.0/16')\n"
    )

    assert by_name(shown)["net"].inputs["cidrBlock"] == "10.0.0.0/16"
    assert shown.leaving == ()


def test_a_look_up_is_answered_by_a_server_that_is_gone_afterwards(preview):
    shown = preview(
        RAW + "net = pulumi.runtime.invoke('aws:ec2/getVpc:getVpc', {'default': True}).value\n"
        "pulumi.export('vpc', net['id'])\n"
    )

    assert shown.outputs["vpc"].startswith("vpc-")


def test_what_a_stack_is_told_reaches_the_program_and_its_secrets_do_not(preview):
    (preview.folder / "Pulumi.prod.yaml").write_text(
        "secretsprovider: awskms://alias/x\nencryptedkey: AAA\nconfig:\n"
        "  aws:region: eu-west-1\n  town:size: 3\n  town:key: {secure: v1:a:b}\n"
        "  town:all: {user: me, key: {secure: v1:c:d}}\n"
    )
    shown = preview(
        RAW + "c = pulumi.Config()\n"
        "key = c.require_secret('key')\n"
        "Raw('aws:s3/bucket:Bucket', 'data', tags={\n"
        "    'size': str(c.require_int('size')), 'user': c.require_object('all')['user'],\n"
        "    'more': c.require('more')})\n"
        "pulumi.export('stack', pulumi.get_stack())\n"
        f"key.apply(lambda said: None if said == {PLACEHOLDER!r} else 1 / 0)\n",
        {"more": "given"},
    )

    data = by_name(shown)["data"]
    assert data.region == "eu-west-1"
    assert data.inputs["tags"] == {"size": "3", "user": "me", "more": "given"}
    assert shown.outputs == {"stack": "prod"}
    assert (
        preview.notes[0] == "previewed as stack prod, with the configuration of Pulumi.prod.yaml"
    )
    assert 'town:key, town:all["key"]' in preview.notes[1]


def test_packages_that_the_sandbox_does_not_know_are_shown_and_not_asked(
    preview, monkeypatch, tmp_path
):
    sdk = tmp_path / "packages" / "pulumi_random"
    sdk.mkdir(parents=True)
    (sdk / "pulumi-plugin.json").write_text('{"name": "random", "version": "4.18.0"}')
    monkeypatch.syspath_prepend(str(sdk.parent))
    shown = preview(
        RAW + "from pulumi import dynamic\n"
        "class Own(dynamic.ResourceProvider):\n"
        "    def create(self, props):\n"
        "        raise RuntimeError('only an update does')\n"
        "class Mine(dynamic.Resource):\n"
        "    pass\n"
        "Mine(Own(), 'own', {})\n"
        "pet = Raw('random:index/randomPet:RandomPet', 'pet', length=2)\n"
        "Raw('aws:s3/bucket:Bucket', 'data', bucket=pet.id)\n"
    )

    resources = by_name(shown)
    assert resources["own"].type == "pulumi-python:dynamic:Resource"
    assert resources["data"].inputs["bucket"] is UNKNOWN

    component = preview(
        RAW + "class Zoo(pulumi.ComponentResource):\n"
        "    def __init__(self):\n"
        "        super().__init__('random:index:Zoo', 'zoo', {}, None, remote=True)\n"
        "Zoo()\n"
    )
    zoo = by_name(component)["zoo"]
    assert zoo.custom  # its content is unknown: as a component it would count as empty
    plan = from_resources(component.resources, name="town", caps=Caps())
    assert [row.type for row in plan.not_judged] == ["random:index:Zoo"]


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("def deep():\n    return {}['seven']\ndeep()\n", InputError, "KeyError: 'seven'"),
        (
            "import os; os._exit(7)\n",
            InputError,
            "the program's process ended early, with exit code 7",
        ),
        (
            "import pulumi\npulumi.Output.from_input(1).apply(lambda one: one / 0)\n",
            InputError,
            "ZeroDivisionError",
        ),
        (
            "import pulumi\npulumi.Config().require('size')\n",
            InputError,
            "Missing required configuration variable 'town:size'",
        ),
        (RAW + "Raw('kubernetes:core/v1:Pod', 'p')\n", EngineError, "the package kubernetes"),
        (
            RAW + "Raw('aws:s3/bucket:Bucket', 'data', bucket='A!')\n",
            CloudError,
            "bucket: 'A!' is not a valid name",
        ),
        (
            RAW + "pulumi.runtime.invoke('aws:acm/getNothing:getNothing', {}).value\n",
            CloudError,
            "does not answer aws:acm/getNothing:getNothing",
        ),
        (
            "import pulumi\npulumi.StackReference('organization/net/dev')\n",
            CloudError,
            "the outputs of another stack are in its backend",
        ),
    ],
)
def test_why_a_preview_fails(code, error, message, preview):
    with pytest.raises(error) as caught:
        preview(code)

    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)


def test_a_missing_region_is_missing_configuration(preview):
    with pytest.raises(InputError, match="missing region"):
        preview(RAW + "Raw('aws:s3/bucket:Bucket', 'data')\n", {})


def test_a_program_that_does_not_end_is_ended_with_all_it_started(preview):
    code = (
        "import subprocess, time\nfrom pathlib import Path\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"Path({str(preview.folder.parent / 'child')!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    with pytest.raises(InputError, match="did not end within 5 s"):
        preview(code, seconds=5)

    child = int((preview.folder.parent / "child").read_text())
    stat = Path(f"/proc/{child}/stat")
    deadline = time.monotonic() + 10  # a killed process needs a processor to die
    while _runs(stat) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(stat)


def _runs(stat: Path) -> bool:
    return stat.exists() and stat.read_text().split(")")[1].split()[0] != "Z"


def venv(folder, *words):
    """A virtual environment whose Python is ours, called with further words."""
    python = folder / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nOWN=venv exec "{sys.executable}" {" ".join(words)} "$@"\n')
    python.chmod(0o755)


VENV = "name: town\nruntime: {name: python, options: {virtualenv: venv}}\n"


def test_the_programs_own_python_runs_it(preview):
    venv(preview.folder)
    shown = preview(
        "import os, pulumi\npulumi.export('own', os.environ['OWN'])\n"
        "pulumi.export('path', os.environ.get('PYTHONPATH'))\n",
        project=VENV,
    )

    assert shown.outputs["own"] == "venv"
    assert shown.outputs.get("path") == os.environ.get("PYTHONPATH")


def test_a_python_without_pulumi_is_told(preview):
    venv(preview.folder, "-S")

    with pytest.raises(
        EngineError, match=r"venv/bin/python can't run a Pulumi program: No module"
    ):
        preview("", project=VENV)


def test_a_program_shares_no_module_with_the_one_that_serves_it(preview):
    (preview.folder / "project.py").write_text("NAME = 'mine'\n")
    shown = preview("import project, pulumi\npulumi.export('name', project.NAME)\n")

    assert shown.outputs == {"name": "mine"}


YAML = """
name: town
runtime: yaml
config: {size: {type: string, default: t3.micro}}
variables:
  image:
    fn::invoke:
      function: aws:ec2:getAmi
      arguments: {mostRecent: true, owners: [amazon], filters: [{name: name, values: ["al*"]}]}
      return: id
resources:
  data: {type: "aws:s3:Bucket", properties: {bucket: "${pet.id}"}}
  pet: {type: "random:RandomPet", properties: {length: 2}}
  box:
    type: aws:ec2:Instance
    properties: {ami: "${image}", instanceType: "${size}", tags: {data: "${data.arn}"}}
outputs: {where: "${box.publicIp}"}
"""


@pytest.fixture
def yaml_path(monkeypatch):
    if HOST is None:
        pytest.skip(f"no {yaml_host.NAME}: `gpuinfra check` of a YAML program builds one")
    path = os.pathsep.join([os.environ["PATH"], str(Path(HOST).parent)])
    monkeypatch.setenv("PATH", path)


def test_a_program_in_yaml_is_run_by_its_host(preview, yaml_path):
    shown = preview(project=YAML)

    resources = by_name(shown)
    assert {name: resource.type for name, resource in resources.items()} == {
        "data": "aws:s3/bucket:Bucket",
        "pet": "random:index:RandomPet",
        "box": "aws:ec2/instance:Instance",
    }
    assert resources["box"].relations["tags"] == (resources["data"].urn,)
    assert resources["box"].inputs["ami"].startswith("ami-")
    assert resources["box"].inputs["instanceType"] == "t3.micro"


POLICY = """
  may-read:
    type: aws:iam:Policy
    properties:
      policy:
        fn::toJSON:
          Statement: [{Effect: Allow, Action: "s3:GetObject", Resource: "${data.arn}/*"}]
outputs:"""


def test_a_json_text_of_a_yaml_program_has_the_parts_that_are_known(preview, yaml_path):
    shown = preview(project=YAML.replace("\noutputs:", POLICY))

    [statement] = by_name(shown)["may-read"].inputs["policy"]["Statement"]
    assert statement == {"Effect": "Allow", "Action": "s3:GetObject", "Resource": UNKNOWN}


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("${data.arn}", "${nothing.arn}", InputError, "Pulumi.yaml:16: resource, variable, or"),
        (", default: t3.micro", "", InputError, "missing configuration value 'size'"),
        ("getAmi", "getNothing", CloudError, "does not answer aws:ec2/getNothing:getNothing"),
    ],
)
def test_why_a_preview_of_a_yaml_program_fails(old, new, error, message, preview, yaml_path):
    assert old in YAML
    with pytest.raises(error) as caught:
        preview(project=YAML.replace(old, new))

    assert message in str(caught.value)


REMOTE = """
name: town
runtime: yaml
resources:
  cluster: {type: "acmegpu:index:Cluster", properties: {machine: p5.48xlarge, count: 8}}
"""


def test_a_component_of_a_remote_package_is_never_free(preview, yaml_path):
    """What would be in it is not known, so that it is unpriced, and a cap refuses it."""
    shown = preview(project=REMOTE)

    (cluster,) = shown.resources
    assert cluster.custom
    plan = from_resources(shown.resources, name="town", caps=Caps())
    assert [row.type for row in plan.not_judged] == ["acmegpu:index:Cluster"]


OURS = """
name: town
runtime: yaml
resources:
  trainer:
    type: "gpuinfra:index:TrainingCluster"
    properties: {region: us-east-1, instance: p5.48xlarge, nodes: 8}
"""


def test_what_is_in_a_component_of_ours_is_judged(preview, yaml_path):
    shown = preview(project=OURS)

    plan = from_resources(shown.resources, name="town", caps=Caps())
    assert [(group.machines, group.ceiling) for group in plan.groups] == [(("p5.48xlarge",), 8)]
    assert plan.not_judged == ()


def test_the_file_is_as_pulumi_writes_it(preview, tmp_path):
    with pytest.raises(InputError):  # it shows nothing to judge
        preview("")

    written = json.loads((tmp_path / "into" / "preview.json").read_text())
    assert written["changeSummary"] == {"create": 1}


def test_configuration_without_a_value_may_be_unknown(preview):
    code = RAW + (
        "config = pulumi.Config()\n"
        "Raw('aws:s3/bucket:Bucket', 'data', bucket=config.require('name'))\n"
        "Raw('aws:s3/bucket:Bucket', 'logs', bucket=f\"{config.require('name')}-logs\")\n"
        "Raw('aws:ssm/parameter:Parameter', 'key', type='SecureString',\n"
        "    value=config.require_secret('key'))\n"
    )
    with pytest.raises(InputError) as refused:
        preview(code)
    resources = by_name(preview(code, config_unknown=True))

    assert "--config-unknown" in refused.value.problems[0].fix
    assert resources["data"].inputs["bucket"] is UNKNOWN
    assert resources["logs"].inputs["bucket"] is UNKNOWN
    assert resources["key"].inputs["value"] is UNKNOWN
    assert preview.notes[-1] == (
        "not set, taken as unknown (--config-unknown): town:name, town:key"
    )


def test_all_configuration_that_is_required_is_unknown_after_one_more_run(preview):
    keys = ("one", "two", "three", "four")
    code = RAW + "config = pulumi.Config()\n"
    code += "".join(f"{key} = config.require('{key}')\n" for key in keys)
    code += "Raw('aws:s3/bucket:Bucket', 'data', bucket=four)\n"
    resources = by_name(preview(code, config_unknown=True))
    assert resources["data"].inputs["bucket"] is UNKNOWN
    assert sum(line.startswith("running the code") for line in preview.messages) == 2


def test_a_number_cannot_be_unknown_and_its_key_is_named(preview):
    with pytest.raises(InputError) as refused:
        preview(RAW + "pulumi.Config().require_int('size')\n", config_unknown=True)

    [problem] = refused.value.problems
    assert "is not a valid 'int'" in problem.message
    assert "--config town:size=VALUE" in problem.fix
