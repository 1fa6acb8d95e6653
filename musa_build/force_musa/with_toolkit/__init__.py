"""FORCE_MUSA=1 for every build that calls nvcc by itself: CMake, Meson, scripts. It gets musa_build's CUDA toolkit.

`build_hooks` runs in the process of the build system. All work is done by `helper`, a process of the user's own Python:
a build in isolation sees none of musa_build's dependencies. `preparation` makes the folder and the variables of a
build, `torch_config` PyTorch's CMake package with CUDA in it, `evidence` says what was compiled for MUSA.
"""
