"""Lambda: machines and prices."""
