"""A provider plugin that the Pulumi engine starts instead of the cloud's own."""
