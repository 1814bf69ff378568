import pytest

from gpuinfra.engine.program_preview import project, yaml_program
from gpuinfra.errors import InputError

PROGRAM = """
name: town
runtime: yaml
variables:
  image:
    fn::invoke:
      function: aws:ec2:getAmi
      arguments: {mostRecent: true, owners: [amazon]}
      return: id
  zones:
    fn::aws:getAvailabilityZones: {state: available}
resources:
  account:
    type: pulumi:providers:aws
    properties: {region: us-east-1}
  box:
    type: aws:ec2:Instance
    properties: {ami: "${image}", tags: {zone: "${zones.names[0]}", other: '${pet["full name"]}'}}
  other:
    type: aws:ec2/instance:Instance
    get: {id: i-1, state: {instanceType: t3.micro}}
  pet: {type: "random:RandomPet"}
  data: {type: azure-native:storage:StorageAccount}
  first: {type: "pulumi:pulumi:StackReference"}
  odd: 3
components:
  part:
    resources:
      bucket: {type: "aws:s3:Bucket", properties: {acl: "${first.outputs}"}}
outputs:
  where: ${box.publicIp}
"""


def schemas(folder, text=PROGRAM):
    (folder / "Pulumi.yaml").write_text(text)
    return yaml_program.schemas(project.read_project(folder))


def test_each_package_that_is_used_gets_the_types_that_are_used(tmp_path):
    by_package = schemas(tmp_path)

    assert {
        name: (sorted(schema["resources"]), sorted(schema["functions"]))
        for name, schema in by_package.items()
    } == {
        "aws": (
            ["aws:ec2/instance:Instance", "aws:s3/bucket:Bucket"],
            [
                "aws:ec2/getAmi:getAmi",
                "aws:index/getAvailabilityZones:getAvailabilityZones",
            ],
        ),
        "random": (["random:index:RandomPet"], []),
        "azure-native": (["azure-native:storage:StorageAccount"], []),
    }


def test_a_type_has_what_is_given_to_it_and_what_is_asked_of_it(tmp_path):
    aws = schemas(tmp_path)["aws"]
    instance = aws["resources"]["aws:ec2/instance:Instance"]

    assert set(instance["inputProperties"]) == {"ami", "tags", "instanceType"}
    assert {"ami", "publicIp", "id", "names", "outputs"} <= set(instance["properties"])
    assert set(aws["provider"]["inputProperties"]) == {"region"}
    invoked = aws["functions"]["aws:ec2/getAmi:getAmi"]
    assert set(invoked["inputs"]["properties"]) == {"mostRecent", "owners"}
    assert "id" in invoked["outputs"]["properties"]
    assert instance["properties"]["ami"] == {"$ref": "pulumi.json#/Any"}


def test_packages_that_the_sandbox_knows_need_nobody_in_their_place(tmp_path):
    assert yaml_program.unsupported_packages(schemas(tmp_path)) == {"random": "0.0.0"}


def test_docker_has_the_version_that_the_host_asks_for(tmp_path):
    text = "name: town\nruntime: yaml\nresources: {image: {type: docker:Image}}\n"
    (tmp_path / "Pulumi.yaml").write_text(text)
    schema = yaml_program.schemas(project.read_project(tmp_path))["docker"]

    assert (
        schema["version"]
        == yaml_program.unsupported_packages({"docker": schema})["docker"]
        == "4.11.2"
    )


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("aws:s3:Bucket", "aws:s3/bucket:Bucket"),
        ("aws:s3/bucket:Bucket", "aws:s3/bucket:Bucket"),
        ("gcp:compute:Instance", "gcp:compute/instance:Instance"),
        ("aws:getRegion", "aws:index/getRegion:getRegion"),
        ("azure-native:compute:VirtualMachine", "azure-native:compute:VirtualMachine"),
        ("random:RandomPet", "random:index:RandomPet"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_type_by_its_full_name(written, named):
    assert yaml_program.canonical(written) == named


def test_a_program_may_stand_in_main_yaml(tmp_path):
    (tmp_path / "Main.yaml").write_text("resources: {b: {type: 'gcp:storage:Bucket'}}\n")
    by_package = schemas(tmp_path, "name: town\nruntime: yaml\n")

    assert list(by_package["gcp"]["resources"]) == ["gcp:storage/bucket:Bucket"]


def test_a_folder_without_a_program(tmp_path):
    (tmp_path / "src").mkdir()

    with pytest.raises(InputError, match="has no program in YAML"):
        schemas(tmp_path, "name: town\nruntime: yaml\nmain: src\n")


def test_keys_of_an_invoke_are_read_in_any_case_and_nested_outputs_are_maps(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text(
        "name: town\nruntime: yaml\n"
        "variables:\n"
        "  key:\n"
        "    Fn::Invoke:\n"
        "      Function: azure-native:storage:listStorageAccountServiceSAS\n"
        "      Arguments: {accountName: a}\n"
        "      Return: serviceSasToken\n"
        "resources:\n"
        "  account: {type: 'azure-native:storage:StorageAccount'}\n"
        "outputs:\n"
        "  site: ${account.primaryEndpoints.web}\n"
        "  token: ${key}\n"
    )
    azure = yaml_program.schemas(project.read_project(tmp_path))["azure-native"]
    lookup = azure["functions"]["azure-native:storage:listStorageAccountServiceSAS"]
    account = azure["resources"]["azure-native:storage:StorageAccount"]

    assert set(lookup["inputs"]["properties"]) == {"accountName"}
    assert "serviceSasToken" in lookup["outputs"]["properties"]
    assert account["properties"]["primaryEndpoints"]["type"] == "object"
    assert account["properties"]["web"] == {"$ref": "pulumi.json#/Any"}
