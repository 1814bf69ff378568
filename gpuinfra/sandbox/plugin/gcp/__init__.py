"""The plugin's rules for Google Cloud beyond the schema tables."""
