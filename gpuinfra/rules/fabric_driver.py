"""The image of a fabric's machines has the fabric's driver."""

from gpuinfra.rules.fabric import of_fact
from gpuinfra.rules.rule import Rule

RULE = Rule(
    id="fabric-driver",
    family="fabric",
    title="The image includes the fabric driver and the NCCL plugin",
    why="Without them NCCL uses TCP; only a line of its log shows it.",
    fix="use an image with both",
    ways={
        "aws": "a Deep Learning AMI",
        "gcp": "an accelerator image whose start-up script installs the NCCL plugin",
        "azure": "an HPC image",
    },
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start-nccl.html",
    check=of_fact(
        lambda fabric: fabric.driver_image,
        good="driver image",
        bad="its image has no fabric driver or no NCCL plugin",
        unknown="could not verify that its image includes the fabric driver and the NCCL plugin",
    ),
    level="advisory",
)
