"""The clang that mcc calls: which one it is, its command lines, its diagnostics."""
