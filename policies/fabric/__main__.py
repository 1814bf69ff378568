from gpuinfra.crossguard import pack

pack(
    "gpuinfra-fabric",
    [
        *("fabric-capable", "fabric-interfaces", "fabric-one-zone", "fabric-placement"),
        *("fabric-self-traffic", "fabric-public-ip", "nvlink", "gpu-maintenance"),
    ],
)
