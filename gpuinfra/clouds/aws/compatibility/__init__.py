"""Which software, drivers and machines are compatible, as far as it is documented."""
