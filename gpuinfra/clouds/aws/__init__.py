"""The AWS provider: machine and price tables, `observe` and `build`."""
