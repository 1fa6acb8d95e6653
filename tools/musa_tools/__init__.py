"""Tools that find the operator, the module and the step that go wrong, on any device of PyTorch.

The packages, each of which imports only those before it: ``tensors`` (copies and descriptions), ``judge`` (are two
results equal?), ``observe`` (which operator runs, and where in the model), ``rerun`` (the same call on the CPU),
``watch`` (the tools themselves). ``compare_tool`` has the public names.

Beside them: ``dump`` (the values of a run, in files), ``other_tools`` (its interfaces, under the names of other tools),
``compare_dumps`` (two runs, from their dumps), ``convert`` (scripts from CUDA to MUSA), ``cuda_compat`` (CUDA scripts,
unchanged; ``compat_at_start``: by an environment variable), ``cli`` and ``replay`` (the command ``musa-tools``).
"""

__version__ = "1.0.0rc3"
