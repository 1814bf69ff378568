from gpuinfra.crossguard import pack, rules_of

pack("gpuinfra-hygiene", rules_of("hygiene"))
