"""A source tree: which files there are, which changed, and writing the ported ones."""
