"""What the plugin knows of Google Cloud beyond the schema tables."""
