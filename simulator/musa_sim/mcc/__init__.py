"""The simulator's mcc: a compiler driver.

It uses the standard library alone and imports nothing else of musa_sim: every SDK root has a copy of this package, and
`bin/mcc` runs it there with an isolated interpreter.
"""
