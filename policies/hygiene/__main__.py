from gpuinfra.crossguard import pack

pack(
    "gpuinfra-hygiene",
    [
        *("launch-settings", "scaling-settings", "disk-limits", "subnet-addresses"),
        *("shared-storage-settings", "shared-storage-zone", "storage-speed"),
    ],
)
