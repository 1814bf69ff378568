"""The version of this package, for all that names it."""

VERSION = "0.1.0"
