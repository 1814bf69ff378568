from gpuinfra.crossguard import pack

RULES = [
    *("metadata-v2", "disk-encrypted", "public-address", "open-login", "administrator-role"),
    *("long-lived-key", "bucket-private", "bucket-encrypted", "bucket-tls"),
    "bucket-versioned-expiry",
]
pack("gpuinfra-security", RULES)
