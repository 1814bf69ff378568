"""Each line that is wrong says so to a type checker: the mark is its error's code."""

from gpuinfra import BucketArgs, PoolArgs, api

BucketArgs()  # error: call-arg
BucketArgs(region=1)  # error: arg-type
PoolArgs(region="us-east-1", replica=1)  # error: call-arg
okay = api.check("stacks/quickstart").okay  # error: attr-defined
api.up("stacks/quickstart", 3)  # error: arg-type
