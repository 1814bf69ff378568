"""Components in a program of the user's own."""

import pulumi

from gpuinfra import (
    BucketArgs,
    DataBucket,
    InferencePool,
    Mount,
    Network,
    PoolArgs,
    TrainingArgs,
    TrainingNode,
)

bucket = DataBucket("data", BucketArgs(region="us-east-1", versioned=True))
node = TrainingNode(
    "dev",
    TrainingArgs(region="us-east-1", gpu="L4:1", data=[Mount(bucket="data", mode="read")]),
    opts=pulumi.ResourceOptions(protect=True),
)
pool = InferencePool(
    "chat",
    PoolArgs(
        region="us-east-1",
        gpu="L4:1",
        replicas="1..3",
        scale_on={"gpu_utilization": "70%"},
        image="vllm/vllm-openai:v0.11.0",
        port=8000,
    ),
)
image = pulumi.Output.from_input("ghcr.io/example/serve@sha256:0")
key = pulumi.Output.from_input("arn:aws:kms:us-east-1:123456789012:key/0")
network = Network(
    vpc_id=pulumi.Output.from_input("vpc-0"),
    subnet_ids=[pulumi.Output.from_input("subnet-0"), "subnet-1"],
    cidr_block=pulumi.Output.from_input("10.9.0.0/16"),
)
encrypted = DataBucket("kept", BucketArgs(region="us-east-1", encryption=key, access_logs=image))
served = InferencePool(
    "served",
    PoolArgs(
        region="us-east-1",
        gpu="L4:1",
        replicas=2,
        scale_on={"gpu_utilization": "70%"},
        image=image,
        args=["--model", image],
        port=8000,
        machine_image=image,
        certificate=key,
        data=[Mount(bucket="data")],
    ),
    network=network,
    buckets={"data": image},
    keys={"data": key},
    tags={"team": image},
)
box = TrainingNode(
    "box", TrainingArgs(region="us-east-1", gpu="L4:1", machine_image=image), network=network
)
