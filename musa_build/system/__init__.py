"""Files, locks, caches and other programs. Imports the standard library, and our errors and logger."""
