"""The simulator's compiler driver.

Standard library only, and no import of the rest of musa_sim: the package is copied into every SDK root and run there
by `bin/mcc` with an isolated interpreter.
"""
