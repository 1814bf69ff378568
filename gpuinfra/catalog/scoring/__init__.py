"""The score of providers, weighed as in the buying guides, in ranges."""
