"""`musa-build verify`: hold what we assume about MUSA against a real card and SDK."""
