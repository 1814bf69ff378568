"""Programs previewed by the real engine in processes of their own, with nothing left behind."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from gpuinfra.engine.program_preview.configuration import PLACEHOLDER
from gpuinfra.errors import CloudError, EngineError, InputError
from gpuinfra.model import UNKNOWN, Caps, Trust, Usage
from gpuinfra.planning import from_resources
from tests.engine.previews import RAW, by_name

pytestmark = pytest.mark.e2e


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
            "the call aws:acm/getNothing:getNothing: the sandbox does not answer it",
        ),
    ],
)
def test_why_a_preview_fails(code, error, message, preview):
    with pytest.raises(error) as caught:
        preview(code)

    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)


REFERRING = (
    "net = pulumi.StackReference('acme/net/dev')\n"
    "iam = pulumi.StackReference('iam', stack_name='acme/iam/dev')\n"
)


def test_outputs_of_other_stacks_are_unknown_and_their_stacks_are_named(preview):
    shown = preview(
        RAW + REFERRING + "Raw('aws:ec2/instance:Instance', 'box', ami='ami-1',\n"
        "    instanceType='g6.xlarge', subnetId=net.get_output('subnet'),\n"
        "    iamInstanceProfile=iam.require_output('profile'))\n"
    )
    trust = Trust(input="subnetId", value="acme/net/*", private=True, why="ours")
    told = [
        from_resources(shown.resources, name="town", caps=Caps(), usage=usage).groups[0].safety
        for usage in (Usage(), Usage(trust=(trust,)))
    ]

    box = by_name(shown)["box"]
    assert box.inputs["subnetId"] is box.inputs["iamInstanceProfile"] is UNKNOWN
    assert [safety.public_ip for safety in told] == [UNKNOWN, False]
    assert (
        "unknown, since a check does not read other stacks: the outputs of acme/iam/dev and "
        "acme/net/dev"
    ) in preview.notes


def test_a_program_that_needs_the_outputs_of_another_stack_names_it(preview):
    code = (
        f"import json, pulumi\n{REFERRING}"
        "details = pulumi.Output.from_input(net.get_output_details('network'))\n"
        "pulumi.export('id', details.apply(lambda details: json.loads(details.value)['id']))\n"
    )
    with pytest.raises(InputError) as caught:
        preview(code)

    [problem] = caught.value.problems
    assert problem.fix.startswith(
        "the program may need what the account answers to the stack reference acme/iam/dev, "
        "the stack reference acme/net/dev: "
    )


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
