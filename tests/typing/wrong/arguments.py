"""Each line that is wrong says so to a type checker: the mark is its error's code."""

import pulumi

from gpuinfra import BucketArgs, PoolArgs, TrainingArgs, api

BucketArgs()  # error: call-arg
BucketArgs(region=1)  # error: arg-type
PoolArgs(region="us-east-1", replica=1)  # error: call-arg
later = pulumi.Output.from_input("p5.48xlarge")
TrainingArgs(region="us-east-1", instance=later)  # error: arg-type
TrainingArgs(region=later, instance="p5.48xlarge")  # error: arg-type
okay = api.check("stacks/quickstart").okay  # error: attr-defined
api.up("stacks/quickstart", 3)  # error: arg-type
