"""The claims of buying guides, judged by the tables."""
