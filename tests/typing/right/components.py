"""Components in a program of the user's own."""

import pulumi

from gpuinfra import (
    BucketArgs,
    DataBucket,
    InferencePool,
    Mount,
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
