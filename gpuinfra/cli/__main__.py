"""The entry point of `python -m gpuinfra.cli`, which is the same as `gpuinfra`."""

from gpuinfra.cli import main

main()
