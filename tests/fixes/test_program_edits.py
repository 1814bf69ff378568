"""Edits are spelt as a program in Python or TypeScript writes them, one line each."""

from decimal import Decimal

import pytest

from gpuinfra.cli.views.fix_text import lines
from gpuinfra.fixes.fix import Edit, Effect, Fix
from gpuinfra.fixes.program_edits import WRITERS
from gpuinfra.fixes.spans import Span

edit_as_python, edit_as_typescript = WRITERS["python"], WRITERS["nodejs"]

URN = "urn:pulumi:dev::prog::aws:ec2/instance:Instance::gpu"
INSTANCE = "aws:ec2/instance:Instance"

CASES = {
    (("rootBlockDevice", "encrypted"), True): 'root_block_device={"encrypted": True}',
    (("metadataOptions", "httpTokens"), "required"): (
        'metadata_options={"http_tokens": "required"}'
    ),
    (("ingress", 0, "cidrBlocks"), ("10.0.0.0/8",)): 'ingress[0].cidr_blocks = ["10.0.0.0/8"]',
    (("networkInterfaces", 0, "accessConfigs"), None): (
        "remove network_interfaces[0].access_configs"
    ),
    (("userData",), "echo {} ${data.arn}/{x}"): (
        'user_data=pulumi.Output.format("echo {{}} {0}/{{x}}", data.arn)'
    ),
    (("publicIPAddress",), "${my-data.publicIp}"): "public_ip_address=my_data.public_ip",
}


@pytest.mark.parametrize(("given", "words"), CASES.items(), ids=str)
def test_a_property_is_an_argument_in_snake_case(given, words):
    path, value = given
    edit = Edit(path=path, before=None, after=value, resource=URN, type=INSTANCE)

    assert edit_as_python(edit) == f"aws.ec2.Instance `gpu`: {words}"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("rootBlockDevice", "volumeType"), "gp3", 'root_block_device.volume_type = "gp3"'),
        (("metadata", "enableOslogin"), "TRUE", 'metadata["enableOslogin"] = "TRUE"'),
        (
            ("rootBlockDevice", "tags"),
            {"costCenter": "ml"},
            'root_block_device.tags = {"costCenter": "ml"}',
        ),
    ],
)
def test_of_a_property_with_other_values_only_what_changes_is_written(path, value, words):
    edit = Edit(path=path, before=None, after=value, resource=URN, type=INSTANCE, is_inside=True)

    assert edit_as_python(edit) == f"aws.ec2.Instance `gpu`: {words}"


def test_a_document_is_written_by_pulumi_with_its_references():
    policy = '{"Statement": [{"Effect": "Deny", "Resource": ["${data.arn}", "${data.arn}/*"]}]}'
    edit = Edit(path=("policy",), before=None, after=policy, resource=URN, type=INSTANCE)

    resources = '[data.arn, pulumi.Output.format("{0}/*", data.arn)]'
    document = f'{{"Statement": [{{"Effect": "Deny", "Resource": {resources}}}]}}'
    words = f"policy=pulumi.Output.json_dumps({document})"
    assert edit_as_python(edit) == f"aws.ec2.Instance `gpu`: {words}"


def test_keys_of_the_user_s_own_stay():
    tags = Edit(
        path=("tags",), before=None, after={"costCenter": "ml"}, resource=URN, type=INSTANCE
    )

    assert edit_as_python(tags) == 'aws.ec2.Instance `gpu`: tags={"costCenter": "ml"}'


def test_a_resource_that_is_added_is_a_call():
    edit = Edit(
        path=(),
        before=None,
        after={"bucket": "${data.id}", "blockPublicAcls": True},
        resource=URN,
        type="aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    )

    call = "aws.s3.BucketPublicAccessBlock(…, bucket=data.id, block_public_acls=True)"
    assert edit_as_python(edit) == f"add for `gpu`: {call}"


def test_each_edit_has_a_line_of_its_own():
    span = Span(before=Decimal(1), after=Decimal(1))
    edits = tuple(
        Edit(path=(name,), before=None, after=True, resource=URN, type=INSTANCE)
        for name in ("firstThing", "secondThing")
    )
    fix = Fix(
        settled_findings=(("disk-encrypted", URN),),
        edits=edits,
        effect=Effect(per_hour=span, per_month=span, per_run=None),
        passes_check=True,
    )

    told = list(lines([fix], ok=False, writing_hint="", runtime="python"))
    in_yaml = list(lines([fix], ok=False, writing_hint=""))

    assert told[0].startswith("the check passes with (same price")
    assert told[1:] == [
        "  aws.ec2.Instance `gpu`: first_thing=True",
        "  aws.ec2.Instance `gpu`: second_thing=True",
    ]
    assert in_yaml[1:] == [
        f"  {INSTANCE} `gpu`: firstThing = true",
        f"  {INSTANCE} `gpu`: secondThing = true",
    ]


POLICY = '{"Statement": [{"Effect": "Deny", "Resource": ["${my-data.arn}", "${my-data.arn}/*"]}]}'
REFERENCES = '["${my-data.arn}", "${my-data.arn}/*"]'
TYPESCRIPT_POLICY = POLICY.replace(REFERENCES, "[myData.arn, pulumi.interpolate`${myData.arn}/*`]")


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("rootBlockDevice", "encrypted"), True, 'rootBlockDevice: {"encrypted": true}'),
        (("ingress", 0, "cidrBlocks"), ("::/0",), 'ingress[0].cidrBlocks = ["::/0"]'),
        (("userData",), 'say "hi"\n', 'userData: "say \\"hi\\"\\n"'),
        (
            ("userData",),
            "`a` ${HOME} ${data.arn}",
            "userData: pulumi.interpolate`\\`a\\` \\${HOME} ${data.arn}`",
        ),
        (
            ("policy",),
            POLICY,
            f"policy: pulumi.jsonStringify({TYPESCRIPT_POLICY})",
        ),
    ],
)
def test_a_program_in_typescript_has_properties_of_an_object(path, value, words):
    edit = Edit(path=path, before=None, after=value, resource=URN, type=INSTANCE)

    assert edit_as_typescript(edit) == f"aws.ec2.Instance `gpu`: {words}"


def test_a_resource_that_is_added_in_typescript_is_new():
    edit = Edit(
        path=(),
        before=None,
        after={"bucket": "${data.id}", "blockPublicAcls": True},
        resource=URN,
        type="aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    )

    call = 'new aws.s3.BucketPublicAccessBlock("…", {bucket: data.id, blockPublicAcls: true})'
    assert edit_as_typescript(edit) == f"add for `gpu`: {call}"


@pytest.mark.parametrize(
    ("runtime", "words"),
    [
        ("go", f"{INSTANCE} `gpu`: policy = {POLICY}"),
        ("", f"{INSTANCE} `gpu`: policy = {POLICY}"),
        ("yaml", f'{INSTANCE} `gpu`: policy = {{"fn::toJSON": {POLICY}}}'),
        ("nodejs", "aws.ec2.Instance `gpu`: policy: pulumi.jsonStringify("),
        ("python", "aws.ec2.Instance `gpu`: policy=pulumi.Output.json_dumps("),
    ],
)
def test_a_document_has_no_escapes_in_any_language(runtime, words):
    span = Span(before=Decimal(1), after=Decimal(1))
    edit = Edit(path=("policy",), before=None, after=POLICY, resource=URN, type=INSTANCE)
    fix = Fix(
        settled_findings=(("front-tls", URN),),
        edits=(edit,),
        effect=Effect(per_hour=span, per_month=span, per_run=None),
        passes_check=True,
    )

    told = "\n".join(lines([fix], ok=False, writing_hint="", runtime=runtime))

    assert words in told
    assert '\\"' not in told
