import gpuinfra

gpuinfra.deploy("stack.yaml")
