"""Observe a running program: which operator, in which module, forward or backward. This package judges nothing."""
