"""The files that the examples need hold tests of their own."""

collect_ignore = ["files"]
