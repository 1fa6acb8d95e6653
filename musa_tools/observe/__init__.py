"""Watch a program run: which operator, in which module, forward or backward. Knows no judge and no file."""
