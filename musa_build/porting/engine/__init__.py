"""One CUDA source text becomes one MUSA source text. Pure, but for rule files that are read."""
