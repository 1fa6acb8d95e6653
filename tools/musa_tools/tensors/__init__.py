"""Nested lists, tuples and dicts of tensors: visit them, and copy them to the CPU."""
