"""The components as a Pulumi package, for programs in YAML, TypeScript, Go and other languages."""
