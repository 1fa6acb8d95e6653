"""The environment of a build: settings, the MUSA SDK, architectures, PyTorch, the number of jobs."""
