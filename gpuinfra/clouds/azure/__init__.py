"""The Azure provider: machine and price tables, `observe` and `build`."""
