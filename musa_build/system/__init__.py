"""Files, locks, other programs and their errors. It imports the standard library, and our errors and logger."""
