from gpuinfra.crossguard import pack, rules_of

pack("gpuinfra-spot", rules_of("spot"))
