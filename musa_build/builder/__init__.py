"""Build extensions: record the commands of PyTorch and setuptools, plan, write a ninja graph, run it."""
