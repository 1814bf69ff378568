"""`python -m gpuinfra.cli` is `gpuinfra`."""

from gpuinfra.cli import main

main()
