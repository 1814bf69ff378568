from gpuinfra.crossguard import pack, rules_of

pack("gpuinfra-budget", rules_of("budget"))
