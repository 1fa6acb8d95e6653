"""Run an operator again on the CPU, without changing the program that is watched."""
