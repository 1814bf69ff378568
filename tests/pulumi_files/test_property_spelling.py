"""Properties in snake_case are read as the engine's own."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuinfra import pulumi_files
from gpuinfra.api.check_settings_model import CheckSettings
from gpuinfra.api.pulumi_files import check_file
from gpuinfra.pulumi_files.property_spelling import camel, camel_key
from tests.pulumi_files.files import digest, entry, put, step

NAMES = st.from_regex(r"[a-z][a-z0-9]{0,5}(_[a-z][a-z0-9]{0,5}){0,3}", fullmatch=True)

TEMPLATE = {
    "imageId": "ami-0a1b2c3d4e5f60718",
    "instanceType": "p5.48xlarge",
    "metadataOptions": {"httpTokens": "optional", "httpPutResponseHopLimit": 3},
    "tags": {"cost_center": "4711"},
}
SNAKE = {
    "image_id": "ami-0a1b2c3d4e5f60718",
    "instance_type": "p5.48xlarge",
    "metadata_options": {"http_tokens": "optional", "http_put_response_hop_limit": 3},
    "tags": {"cost_center": "4711"},
}


def preview(inputs):
    kind = "aws:ec2/instance:Instance"
    return digest(step(kind, newState=entry("box", type=kind, inputs=inputs)))


@pytest.mark.parametrize(
    ("key", "spelled"),
    [
        ("http_put_response_hop_limit", "httpPutResponseHopLimit"),
        ("instanceType", "instanceType"),
        ("ipv6_cidr_blocks", "ipv6CidrBlocks"),
        ("_private", "_private"),
        ("My_Key", "My_Key"),
        ("aws_", "aws_"),
    ],
)
def test_a_key_is_spelled_as_the_engine_does(key, spelled):
    assert camel_key(key, "aws") == spelled


def test_properties_are_spelled_at_any_depth_and_tags_stay():
    assert camel(SNAKE, "aws") == TEMPLATE
    assert camel(TEMPLATE, "aws") == TEMPLATE
    assert camel({"ingress": [{"from_port": 22}]}, "aws") == {"ingress": [{"fromPort": 22}]}


def test_the_engine_s_own_spelling_holds():
    assert camel({"http_tokens": "optional", "httpTokens": "required"}, "aws") == {
        "httpTokens": "required"
    }


@given(st.dictionaries(NAMES, st.integers(), max_size=5))
def test_spelling_twice_changes_nothing(properties):
    assert camel(camel(properties, "aws"), "aws") == camel(properties, "aws")


def test_both_spellings_are_judged_alike(tmp_path):
    findings = []
    for name, inputs in (("camel.json", TEMPLATE), ("snake.json", SNAKE)):
        path = put(tmp_path, preview(inputs), name)
        judged = check_file(path, CheckSettings(), date(2026, 11, 21))
        findings.append(judged.report.verdict.findings)
    assert findings[0] == findings[1]
    assert any(
        finding.rule == "metadata-v2" and finding.outcome == "violated" for finding in findings[0]
    )


def test_relations_are_spelled_too_and_components_are_left_alone(tmp_path):
    kind = "aws:ec2/instance:Instance"
    own = entry("root", type="shop:index:Thing", inputs={"by_name": {"my_box": 1}})
    box = entry("box", type=kind, inputs=SNAKE, propertyDependencies={"subnet_id": []})
    path = put(tmp_path, digest(step("a", newState=own), step("b", newState=box)), "p.json")
    root, read = pulumi_files.read(path).resources
    assert root.inputs == {"by_name": {"my_box": 1}}
    assert dict(read.relations) == {"subnetId": ()}


def test_names_with_capitals_side_by_side_are_their_package_s_own():
    written = {"enable_node_public_ip": True, "disks": [{"disk_size_gb": 64}]}
    assert camel(written, "azure-native") == {
        "enableNodePublicIP": True,
        "disks": [{"diskSizeGB": 64}],
    }
    assert camel(written, "gcp") == {"enableNodePublicIp": True, "disks": [{"diskSizeGb": 64}]}
    assert camel_key("public_ip_address_configuration", "azure-native") == (
        "publicIPAddressConfiguration"
    )
