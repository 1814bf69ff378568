# GPU load and memory as the scale set's own metrics, which its autoscale setting follows.
run_always gpuinfra-metrics 'gpuinfra GPU metrics' metrics "${METRICS[@]}"
