"""One self-contained HTML page of any SOURCE: `gpuinfra report`."""
