"""Tools that say which operator, in which layer and which step, goes wrong; on any device of PyTorch.

The rooms, from the bottom: ``tensors`` (copies and descriptions), ``judge`` (are two results equal?), ``rerun`` (an
operator again, on the CPU), ``observe`` (which operator runs, and where in the model), ``watch`` (the tools of a user).
"""
