"""The Google Cloud provider: machine and price tables, `observe` and `build`."""
