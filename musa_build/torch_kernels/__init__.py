"""PyTorch's own kernels for MUSA: `musa-build torch-musa` ports those of a checkout, compiles and links them.

The result is a library that torch_musa loads after its own kernels. A kernel of PyTorch registers itself in the
DispatchStub of its operator, so it replaces torch_musa's kernel for that operator. The checkout is only read.
"""
