from gpuinfra.crossguard import pack, rules_of

pack("gpuinfra-all", rules_of())
