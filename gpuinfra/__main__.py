"""`python -m gpuinfra` is `gpuinfra`."""

from gpuinfra.cli import main

main()
