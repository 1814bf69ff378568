from gpuinfra.crossguard import pack, rules_of

pack("gpuinfra-fabric", rules_of("fabric"))
