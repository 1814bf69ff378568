from gpuinfra.crossguard import pack

pack(
    "gpuinfra-spot",
    [
        *("spot-share", "spot-interruptible", "spot-checkpoints", "spot-settings"),
        *("spot-allocation", "capacity-block"),
    ],
)
