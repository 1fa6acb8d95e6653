"""`musa-build verify`: check our assumptions about MUSA on a real card and SDK."""
