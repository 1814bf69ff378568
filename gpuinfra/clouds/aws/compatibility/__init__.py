"""The documented compatibility of software, drivers and machines."""
