"""Files, other programs, and what goes wrong with them. Imports the standard library alone."""
