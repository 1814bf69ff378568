import base64
import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from gpuinfra.clouds.declaring.inputs import CallersNetwork
from gpuinfra.clouds.declaring.network import take_callers
from gpuinfra.components.args import BucketArgs, Checkpoints, Mount, TrainingArgs
from gpuinfra.components.bucket import DataBucket
from gpuinfra.components.inference import InferencePool
from gpuinfra.components.messages import ProgramError
from gpuinfra.components.network import Network
from gpuinfra.components.training import TrainingCluster, TrainingNode
from gpuinfra.errors import InputError
from gpuinfra.graph import RuntimeInput
from tests.clouds.startup_scripts import unpacked

REGION = "us-east-1"
OWN = Network(vpc_id="vpc-0", subnet_ids=["subnet-0"])


def cluster(
    *, args: dict[str, Any] | None = None, opts: pulumi.ResourceOptions | None = None, **more: Any
) -> TrainingCluster:
    """A small cluster that uses everything."""
    given = {
        "region": REGION,
        "instance": "g6.8xlarge",
        "nodes": 2,
        "capacity": "spot",
        "max_price": "1.50",
        "duration": "4h",
        "data": [Mount(bucket="data", prefix="tokens/")],
        "checkpoints": Checkpoints(bucket="data"),
        "command": "gpuinfra-torchrun train.py",
        "owner": "ml-platform",
        **(args or {}),
    }
    more.setdefault("buckets", {"data": "tokens-bucket"})
    return TrainingCluster("trainer", TrainingArgs(**given), opts=opts, **more)


def node(**args: Any) -> TrainingNode:
    return TrainingNode("dev", TrainingArgs(region=REGION, gpu="L4:1", **args))


def test_cluster_is_the_golden_one(record, golden) -> None:
    golden("training-cluster", record(cluster).golden())


def test_node_is_the_golden_one(record, golden) -> None:
    golden("training-node", record(node).golden())


def test_every_child_stands_under_the_component(record) -> None:
    seen = record(cluster)
    (component,) = [
        resource for resource in seen.resources if resource.type.startswith("gpuinfra:")
    ]

    assert component.parent == ""
    assert {resource.parent for resource in seen.resources if resource is not component} == {
        component.urn
    }
    assert all(
        resource.name.startswith("trainer-")
        for resource in seen.resources
        if resource is not component
    )


def test_start_script_names_the_buckets_of_the_cloud(record) -> None:
    template = record(cluster).of("trainer-launch-template")
    script = unpacked(base64.b64decode(template.inputs["userData"])).decode()

    assert "mount_bucket /data/data-tokens tokens-bucket tokens/ read" in script
    assert "mount_bucket /checkpoints tokens-bucket checkpoints/ write" in script
    assert "GPUINFRA_NODES=2" in script
    assert "NCCL_SHM_USE_CUDA_MEMCPY=1" in script  # the g6 family
    assert "gpuinfra-torchrun train.py" in script


@pytest.mark.parametrize(
    ("machine", "interfaces"),
    [("p5.48xlarge", 33), ("p4d.24xlarge", 5), ("p5en.48xlarge", 17), ("g6.8xlarge", 2)],
)
def test_every_card_has_its_interface_and_none_a_public_address(
    record, machine: str, interfaces: int
) -> None:
    seen = record(
        lambda: cluster(args={"instance": machine, "capacity": "on-demand", "max_price": None})
    )
    nics = seen.of("trainer-launch-template").inputs["networkInterfaces"]
    first, *others = nics

    assert len(nics) == interfaces
    assert (first["interfaceType"], first["associatePublicIpAddress"]) == ("interface", "false")
    assert {nic["interfaceType"] for nic in others} == {"efa-only"}
    assert not any("associatePublicIpAddress" in nic for nic in others)
    assert len({(nic["networkCardIndex"], nic["deviceIndex"]) for nic in nics}) == interfaces
    assert seen.of("trainer-private-subnet").inputs["mapPublicIpOnLaunch"] is False


def test_spot_writes_its_ceiling_and_comes_back_after_an_interruption(record) -> None:
    seen = record(cluster)
    market = seen.of("trainer-launch-template").inputs["instanceMarketOptions"]

    assert (market["marketType"], market["spotOptions"]["maxPrice"]) == ("spot", "1.50")
    assert seen.of("trainer-group").inputs["suspendedProcesses"] == ["AZRebalance"]


def test_on_demand_gang_is_neither_moved_nor_broken_up(record) -> None:
    seen = record(lambda: cluster(args={"capacity": "on-demand", "max_price": None}))
    group = seen.of("trainer-group").inputs

    assert "instanceMarketOptions" not in seen.of("trainer-launch-template").inputs
    assert group["suspendedProcesses"] == ["AZRebalance", "ReplaceUnhealthy"]
    assert (group["minSize"], group["maxSize"], group["desiredCapacity"]) == (2, 2, 2)
    assert len(group["vpcZoneIdentifiers"]) == 1


def test_another_machine_or_market_makes_the_group_anew_and_deletes_first(record) -> None:
    options = record(cluster).of("trainer-group").options

    assert options == {
        "deleteBeforeReplace": True,
        "replacementTrigger": ["g6.8xlarge", "spot"],
        "timeouts": {"delete": "30m"},
    }


def test_the_public_image_is_pinned_by_region_and_parameter(record) -> None:
    seen = record(cluster)
    (pin,) = [resource for resource in seen.resources if resource.type == "pulumi:index:Stash"]
    (call,) = [args for token, args in seen.calls if token == "aws:ssm/getParameter:getParameter"]
    elsewhere = record(lambda: cluster(args={"region": "us-west-2"}))
    (other,) = [
        resource for resource in elsewhere.resources if resource.type == "pulumi:index:Stash"
    ]

    assert pin.options == {"ignoreChanges": ["input"]}
    assert call["region"] == REGION
    assert call["name"].startswith("/aws/service/deeplearning/ami/x86_64/")
    assert seen.of("trainer-launch-template").inputs["imageId"] == pin.outputs["output"]["id"]
    assert pin.name != other.name


def test_nothing_else_ignores_changes(record) -> None:
    ignoring = [
        resource.type
        for resource in record(cluster).resources
        if "ignoreChanges" in resource.options
    ]

    assert ignoring == ["pulumi:index:Stash"]


def test_own_image_is_taken_as_it_is_with_its_own_root_disk(record) -> None:
    seen = record(lambda: node(machine_image="ami-0feedbeeffeedbeef"))
    template = seen.of("dev-launch-template").inputs

    assert template["imageId"] == "ami-0feedbeeffeedbeef"
    assert template["blockDeviceMappings"][0]["deviceName"] == "/dev/xvda"
    (lookup,) = [args for token, args in seen.calls if token == "aws:ec2/getAmi:getAmi"]
    assert not [args for token, args in seen.calls if token.endswith(":getParameter")]
    assert lookup["filters"] == [{"name": "image-id", "values": ["ami-0feedbeeffeedbeef"]}]


def test_own_parameter_is_pinned_too(record) -> None:
    seen = record(lambda: node(machine_image="/team/ami"))

    assert any(resource.type == "pulumi:index:Stash" for resource in seen.resources)
    (lookup,) = [args for token, args in seen.calls if token.endswith(":getParameter")]
    assert lookup["name"] == "/team/ami"


def test_an_image_that_is_no_image_of_the_cloud(record) -> None:
    with pytest.raises(ProgramError, match=r"is not an AWS image.*ami-"):
        record(lambda: node(machine_image="ubuntu-22.04"))


def test_the_role_holds_what_it_uses_and_no_managed_policy(record) -> None:
    seen = record(cluster)
    rights = {
        resource.name: [action for each in statements(resource) for action in each["Action"]]
        for resource in seen.resources
        if resource.type == "aws:iam/rolePolicy:RolePolicy"
    }

    assert not any("rolePolicyAttachment" in resource.type for resource in seen.resources)
    assert set(rights) == {
        "trainer-session-manager",
        "trainer-storage",
        "trainer-peers",
        "trainer-agent",
        "trainer-preflight",
    }
    assert rights["trainer-session-manager"] == [
        "ssm:UpdateInstanceInformation",
        "ssmmessages:CreateControlChannel",
        "ssmmessages:CreateDataChannel",
        "ssmmessages:OpenControlChannel",
        "ssmmessages:OpenDataChannel",
    ]
    assert rights["trainer-peers"] == ["ec2:DescribeInstances"]


def statements(policy: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(policy.inputs["policy"])["Statement"]
    return listed


def test_callers_network_is_used_and_none_is_made(record) -> None:
    seen = record(lambda: cluster(network=OWN))

    assert seen.of("trainer-security-group").inputs["vpcId"] == "vpc-0"
    assert seen.of("trainer-group").inputs["vpcZoneIdentifiers"] == ["subnet-0"]
    assert not any(
        "ec2/vpc:" in resource.type or "ec2/subnet:" in resource.type
        for resource in seen.resources
    )


def test_the_fabric_does_not_leave_one_subnet(record) -> None:
    wide = Network(vpc_id="vpc-0", subnet_ids=["subnet-0", "subnet-1"])

    with pytest.raises(ProgramError, match=r"trainer: the network has 2 subnets.*one subnet"):
        record(lambda: cluster(network=wide))


def test_callers_tags_reach_everything_that_takes_tags(record) -> None:
    seen = record(lambda: cluster(tags={"cost-center": "42"}))
    tagged = [resource for resource in seen.resources if "tags" in resource.inputs]
    group = seen.of("trainer-group").inputs["tags"]
    template = seen.of("trainer-launch-template").inputs

    assert len(tagged) > 15
    for resource in tagged:
        tags = resource.inputs["tags"]
        if isinstance(tags, list):
            tags = {tag["key"]: tag["value"] for tag in tags}
        assert (tags["cost-center"], tags["gpuinfra:owner"]) == ("42", "ml-platform"), (
            resource.name
        )
        assert tags["gpuinfra:workload"] == "trainer", resource.name
    assert all(tag["propagateAtLaunch"] for tag in group)
    assert all(spec["tags"]["cost-center"] == "42" for spec in template["tagSpecifications"])


def test_callers_tags_never_stand_in_for_ours(record) -> None:
    with pytest.raises(ProgramError, match=r"trainer: the tag 'gpuinfra:owner' is reserved"):
        record(lambda: cluster(tags={"gpuinfra:owner": "evil"}))
    with pytest.raises(
        ProgramError, match=r"trainer: tags does not accept list; allowed: a mapping"
    ):
        record(lambda: cluster(tags=["evil"]))


def test_callers_provider_reaches_every_child_and_look_up(record) -> None:
    def program() -> None:
        provider = aws.Provider("mine", region=REGION)
        cluster(opts=pulumi.ResourceOptions(provider=provider))

    seen = record(program)
    children = [resource for resource in seen.resources if resource.type.startswith("aws:")]

    assert len(children) > 20
    assert {"pulumi:providers:aws::mine" in resource.provider for resource in children} == {True}


def test_callers_protection_and_aliases_reach_the_component(record) -> None:
    options = pulumi.ResourceOptions(protect=True, aliases=[pulumi.Alias(name="old-trainer")])
    seen = record(lambda: cluster(opts=options))

    # The engine itself derives the children's aliases from their parent's.
    assert seen.of("trainer").aliases == ("old-trainer",)
    assert all(resource.protect for resource in seen.resources)


def test_callers_transformations_see_every_child(record) -> None:
    def shout(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if args.type_ != "aws:ec2/vpc:Vpc":
            return None
        return pulumi.ResourceTransformationResult(
            {**args.props, "enable_network_address_usage_metrics": True}, args.opts
        )

    seen = record(lambda: cluster(opts=pulumi.ResourceOptions(transformations=[shout])))

    assert seen.of("trainer-vpc").inputs["enableNetworkAddressUsageMetrics"] is True


def test_customize_replaces_arguments_of_a_child(record) -> None:
    custom = {
        "launch_template": {"ebs_optimized": "true"},
        "group": {"health_check_grace_period": 60},
    }
    seen = record(lambda: cluster(customize=custom))

    assert seen.of("trainer-launch-template").inputs["ebsOptimized"] == "true"
    assert seen.of("trainer-group").inputs["healthCheckGracePeriod"] == 60


def test_customize_keeps_the_rest_of_a_block(record) -> None:
    blocks = [
        {"http_put_response_hop_limit": 2},
        aws.ec2.LaunchTemplateMetadataOptionsArgs(http_put_response_hop_limit=2),
    ]
    for block in blocks:
        custom = {"launch_template": {"metadata_options": block}}
        seen = record(lambda custom=custom: cluster(customize=custom))

        assert seen.of("trainer-launch-template").inputs["metadataOptions"] == {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 2,
        }


def test_customize_adds_tags_to_ours(record) -> None:
    custom = {
        "launch_template": {
            "tags": {"team": "a"},
            "tag_specifications": [{"resource_type": "volume", "tags": {"team": "b"}}],
        },
        "group": {"tags": [{"key": "team", "value": "c", "propagate_at_launch": True}]},
    }
    seen = record(lambda: cluster(customize=custom))
    template = seen.of("trainer-launch-template").inputs
    group = {tag["key"]: tag["value"] for tag in seen.of("trainer-group").inputs["tags"]}
    specified = {
        tag_specification["resourceType"]: tag_specification["tags"]
        for tag_specification in template["tagSpecifications"]
    }

    assert set(specified) == {"instance", "volume", "network-interface"}
    assert "team" not in specified["instance"]
    for tags, team in ((template["tags"], "a"), (specified["volume"], "b"), (group, "c")):
        assert (tags["team"], tags["gpuinfra:owner"]) == (team, "ml-platform")


@pytest.mark.parametrize(
    ("custom", "message"),
    [
        (
            {"lunch_template": {}},
            "unknown child 'lunch_template'.*did you mean launch_template?",
        ),
        (
            {"launch_template": {"user_dat": ""}},
            "child 'launch_template' has no argument 'user_dat'.*did you mean user_data?",
        ),
        (
            {"launch_template": {"metadata_options": {"http_tokenz": "x"}}},
            "no argument 'http_tokenz' in metadata_options.*did you mean http_tokens?",
        ),
        ({"metrics": {"role": "x"}}, "unknown child 'metrics'"),
    ],
)
def test_customize_refuses_what_does_not_exist(
    record, custom: dict[str, dict[str, Any]], message: str
) -> None:
    with pytest.raises(ProgramError, match=message):
        record(lambda: cluster(customize=custom))


def test_every_child_can_be_customized(record) -> None:
    plain = record(cluster)
    ours = {"gpuinfra:index:TrainingCluster", "pulumi:index:Stash"}
    names = [
        resource.name.removeprefix("trainer-").replace("-", "_")
        for resource in plain.resources
        if resource.type not in ours
    ]
    seen = record(lambda: cluster(customize={name: {} for name in names}))

    assert seen.golden() == plain.golden()


def test_all_that_is_wrong_is_said_at_once(record) -> None:
    with pytest.raises(ProgramError) as failed:
        record(lambda: cluster(args={"duration": "72", "nodes": 0}))

    assert isinstance(failed.value, pulumi.RunError)
    assert "72h" in str(failed.value)
    assert "nodes" in str(failed.value)
    assert len(str(failed.value).splitlines()) == 2


def test_unknown_machine_is_refused_in_words(record) -> None:
    with pytest.raises(ProgramError, match=r"g6.8xlrage"):
        record(lambda: cluster(args={"instance": "g6.8xlrage"}))


def test_a_bucket_that_nobody_gave(record) -> None:
    with pytest.raises(ProgramError, match=r"trainer: the bucket 'data' is not passed"):
        record(lambda: cluster(buckets={}))


def test_a_bucket_is_given_as_a_component_a_name_or_an_output(record) -> None:
    def granted(bucket: Callable[[], Any]) -> str:
        policy: str = (
            record(lambda: cluster(buckets={"data": bucket()}))
            .of("trainer-storage")
            .inputs["policy"]
        )
        return policy

    def component() -> DataBucket:
        return DataBucket("tokens", BucketArgs(region=REGION))

    assert '"arn:aws:s3:::tokens-bucket"' in granted(lambda: "tokens-bucket")
    assert granted(lambda: pulumi.Output.from_input("tokens-bucket")) == granted(
        lambda: "tokens-bucket"
    )
    assert '"arn:aws:s3:::project-tokens-' in granted(component)
    assert granted(component) == granted(lambda: component().bucket_name)


@pytest.mark.parametrize(
    ("buckets", "message"),
    [
        (
            {"data": 5},
            r"trainer: buckets.data does not accept int; allowed: a DataBucket, a bucket's",
        ),
        (["data"], r"trainer: buckets does not accept list; allowed: a mapping"),
        (
            {"data": "arn:aws:s3:::tokens"},
            (
                r"trainer: buckets.data is not a valid bucket name on S3.*"
                r"given 'arn:aws:s3:::tokens'.*no ARN"
            ),
        ),
        ({"data": "s3://tokens/"}, r"buckets.data is not a valid bucket name on S3"),
        (
            {"data": "tokens", "dta": "tokens"},
            r"trainer: the bucket 'dta' is passed but not mounted.*did you mean data?",
        ),
    ],
)
def test_what_is_no_bucket_is_refused(record, buckets: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        record(lambda: cluster(buckets=buckets))


def test_a_resource_in_a_buckets_place_is_told_the_way_out(record) -> None:
    with pytest.raises(ProgramError, match=r"does not accept Bucket;.*pass its name"):
        record(lambda: cluster(buckets={"data": aws.s3.Bucket("tokens")}))


@pytest.mark.parametrize(
    ("component", "kind"),
    [
        (TrainingNode, "TrainingArgs"),
        (TrainingCluster, "TrainingArgs"),
        (InferencePool, "PoolArgs"),
        (DataBucket, "BucketArgs"),
    ],
)
def test_arguments_of_another_class_are_refused_in_words(
    record, component: Callable[..., Any], kind: str
) -> None:
    with pytest.raises(
        ProgramError, match=f"a: args does not accept dict; allowed: {kind}; write {kind}"
    ):
        record(lambda: component("a", {"region": REGION}))


def test_a_mount_that_is_only_a_name_is_refused_in_words(record) -> None:
    with pytest.raises(ProgramError, match="data"):
        record(lambda: cluster(args={"data": ["my-bucket"]}))


def test_node_and_cluster_refuse_each_others_size(record) -> None:
    with pytest.raises(ProgramError, match=r"does not support 1 nodes.*use TrainingNode"):
        record(lambda: cluster(args={"nodes": 1}))
    with pytest.raises(ProgramError, match=r"does not support 2 nodes.*use TrainingCluster"):
        record(lambda: node(nodes=2, fabric="none"))


def test_a_name_that_aws_would_not_take_is_refused(record) -> None:
    with pytest.raises(ProgramError, match=r"lower-case"):
        record(lambda: TrainingNode("Dev_1", TrainingArgs(region=REGION, gpu="L4:1")))


def test_outputs_are_attributes(record) -> None:
    shown: dict[str, Any] = {}

    def program() -> None:
        component = cluster()
        for name in type(component).__mro__[1].__annotations__:
            getattr(component, name).apply(lambda value, name=name: shown.update({name: value}))

    record(program)

    assert shown == {
        "group_name": "trainer-group-0a1b2c3",
        "template_id": "trainer-launch-template-id",
        "identity": "trainer-role-0a1b2c3",
        "firewall_id": "trainer-security-group-id",
        "network_id": "trainer-vpc-id",
        "subnet_id": "trainer-private-subnet-id",
        "image_id": "ami-0123456789abcdef0",
    }


def test_the_subnets_of_a_network_may_be_known_later(record) -> None:
    ids = pulumi.Output.from_input(["subnet-7"])
    network = Network(vpc_id=pulumi.Output.from_input("vpc-0"), subnet_ids=ids)
    seen = record(lambda: cluster(network=network))

    assert seen.of("trainer-group").inputs["vpcZoneIdentifiers"] == ["subnet-7"]


def test_the_number_of_subnets_is_counted_where_it_is_known() -> None:
    theirs = CallersNetwork(vpc_id="vpc-0", subnet_ids=RuntimeInput("subnets"))
    place = take_callers("trainer", theirs, subnets="one subnet", takes=(1).__eq__)

    assert place.subnet_ids.function(["subnet-7"]) == ["subnet-7"]
    with pytest.raises(InputError, match="trainer: the network has 2 subnets"):
        place.subnet_ids.function(["subnet-7", "subnet-8"])


def test_a_tag_may_be_known_later(record) -> None:
    seen = record(lambda: cluster(tags={"team": pulumi.Output.from_input("research")}))

    for child in ("trainer-launch-template", "trainer-vpc"):
        assert seen.of(child).inputs["tags"]["team"] == "research"


@pytest.mark.parametrize(
    ("argument", "path"),
    [
        ({"instance": "{}"}, "instance"),
        ({"region": "{}"}, "region"),
        ({"command": "{}"}, "command"),
        ({"framework": {"cuda": "{}"}}, "framework.cuda"),
        ({"checkpoints": Checkpoints(bucket="data", every="{}")}, "checkpoints.every"),
        ({"data": [Mount(bucket="data", prefix="{}")]}, "data.0.prefix"),
    ],
)
def test_an_argument_that_the_plan_needs_is_not_known_later(argument, path, record) -> None:
    secret = pulumi.Output.secret("hunter2")

    def later(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: later(item) for key, item in value.items()}
        if isinstance(value, list):
            return [later(item) for item in value]
        if isinstance(value, Mount | Checkpoints):
            return replace(
                value, **{field.name: later(getattr(value, field.name)) for field in fields(value)}
            )
        return secret if value == "{}" else value

    with pytest.raises(ProgramError) as caught:
        record(lambda: cluster(args=later(argument)))

    assert str(caught.value).startswith(f"trainer: {path} is an output or a secret")
    assert "to choose, price and check machines" in str(caught.value)
    assert "hunter2" not in str(caught.value)
