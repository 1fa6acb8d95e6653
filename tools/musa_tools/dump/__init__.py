"""Dump a run: the calls of functions and modules, with their inputs, results and gradients."""
