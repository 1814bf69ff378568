from gpuinfra.crossguard import pack

pack(
    "gpuinfra-budget",
    [
        *("no-cap", "cap-per-hour", "cap-per-month", "cap-per-run"),
        *("price-unknown", "price-outdated"),
    ],
)
