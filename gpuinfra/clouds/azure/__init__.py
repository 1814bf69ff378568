"""Azure: machines and prices, what a workload stands up, `observe` and `build`."""
