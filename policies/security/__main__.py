from gpuinfra.crossguard import pack, rules_of

pack("gpuinfra-security", rules_of("security"))
