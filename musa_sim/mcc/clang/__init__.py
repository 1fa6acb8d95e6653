"""clang underneath: which one, its command lines, its diagnostics."""
