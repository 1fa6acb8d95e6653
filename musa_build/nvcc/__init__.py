"""The compiler driver `nvcc` of the CUDA toolkit that musa_build writes: nvcc's command line in front of mcc.

`command` reads the arguments, `plan` turns them into the commands of mcc, the host compiler and the linker, `answers`
has what build systems ask nvcc for, `inline_ptx` hands mcc the translations of inline PTX, and `main` runs all of it.

A toolkit has a copy of this package, which Python runs without its site-packages: a compile waits for every import.
So records are named tuples, and nothing here imports dataclasses, json or subprocess.

Not verified on MUSA hardware or with a real SDK.
"""
