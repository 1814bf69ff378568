"""A provider plugin that the Pulumi engine starts in the place of a cloud's own."""
