"""A directory that build systems take for NVIDIA's CUDA toolkit, and that compiles for MUSA.

`names` finds MUSA's counterpart of each CUDA name in an SDK, `headers` writes the texts of CUDA's headers with them,
`libraries` plans the library folder, `layout` all files, and `root` writes them. `musa_build.nvcc` is its compiler
driver.

Not verified on MUSA hardware or with a real SDK.
"""
