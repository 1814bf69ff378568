"""Programs in YAML, previewed by the real engine and their host."""

import os
import shutil
from pathlib import Path

import pytest

from gpuinfra.engine.program_preview import yaml_host
from gpuinfra.engine.versions import cache_folder
from gpuinfra.errors import CloudError, InputError
from gpuinfra.model import UNKNOWN, Caps
from gpuinfra.planning import from_resources
from tests.engine.previews import by_name

pytestmark = pytest.mark.e2e

HOST = shutil.which(yaml_host.NAME) or next(map(str, cache_folder().glob("yaml-*/bin/*")), None)
"""The user's host of YAML programs, looked for before anything is isolated."""

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
        (
            "getAmi",
            "getNothing",
            CloudError,
            "the call aws:ec2/getNothing:getNothing: the sandbox does not answer it",
        ),
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


UNKNOWN_PROVIDER = """
name: town
runtime: yaml
resources:
  pet: {type: "random:RandomPet", properties: {length: 2}}
  there:
    type: pulumi:providers:mysql
    properties: {endpoint: "${pet.id}"}
  user:
    type: mysql:User
    properties: {user: {"fn::secret": "very-well-hidden"}, host: {"fn::secret": "${pet.id}"}}
    options: {provider: "${there}"}
  data: {type: "aws:s3:Bucket", properties: {tags: {user: "${pet.id}"}}}
"""


def test_a_secret_of_an_unknown_provider_does_not_crash_the_check(preview, yaml_path, tmp_path):
    """The digest of Pulumi's preview crashes there: `attempt to encrypt value`."""
    resources = by_name(preview(project=UNKNOWN_PROVIDER))

    assert resources["user"].inputs == {"user": UNKNOWN, "host": UNKNOWN}
    assert resources["data"].relations["tags"] == (resources["pet"].urn,)
    assert "very-well-hidden" not in (tmp_path / "into" / "preview.json").read_text()
