"""One CUDA source text becomes one MUSA source text. Pure, except that rule files are read."""
