"""From extensions to libraries: record what PyTorch and setuptools would run, plan, write a ninja graph, run it."""
